import { createHash } from 'node:crypto';
import express, { type RequestHandler, Router } from 'express';
import { pageHeaders } from '../../lib/http/page-headers.ts';

/**
 * A GraphQL client for the browser at `path`, with all its files served from here: it works without the internet. Its
 * library is large, so it is loaded when somebody looks at the page.
 */
export function explorer(path: string, endpointURL: string): RequestHandler {
  const router = Router();
  let pages: Promise<RequestHandler> | undefined;
  router.use(path, async (request, response, next) => {
    pages ??= loadPages(path, endpointURL);
    (await pages)(request, response, next);
  });
  return router;
}

async function loadPages(path: string, endpointURL: string): Promise<RequestHandler> {
  const { getDistDirectory, isSandboxFrame, renderAltair, SANDBOX_FRAME_CSP } = await import('altair-static');
  const page = renderAltair({ baseURL: `${path}/`, endpointURL });
  const headers = explorerHeaders(page);
  const router = Router();
  router.get('/', (_request, response) => void response.set(headers).type('html').send(page));
  router.use(
    express.static(getDistDirectory(), {
      index: false,
      redirect: false,
      setHeaders: (response, file) => {
        response.setHeader('x-content-type-options', 'nosniff');
        if (isSandboxFrame(file)) {
          response.setHeader('content-security-policy', `${SANDBOX_FRAME_CSP}; frame-ancestors 'self'`);
        }
      },
    }),
  );
  return router;
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy allows scripts of the explorer and inline scripts of its page, and requests to this service alone. */
function explorerHeaders(page: string): Record<string, string> {
  // Only an inline script has text between its tags.
  const inline = [...page.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(([, script = '']) =>
    sourceOf(script),
  );
  return pageHeaders([
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
  ]);
}
