import express, { type RequestHandler, Router } from 'express';

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
  const router = Router();
  router.get('/', (_request, response) => void response.type('html').send(page));
  router.use(
    express.static(getDistDirectory(), {
      index: false,
      redirect: false,
      setHeaders: (response, file) => {
        if (isSandboxFrame(file)) response.setHeader('content-security-policy', SANDBOX_FRAME_CSP);
      },
    }),
  );
  return router;
}
