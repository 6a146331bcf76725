import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import { pageHeaders } from '../../lib/http/page-headers.ts';
import { lookAtBuilt } from './built.ts';
import { answerFile } from './file.ts';

/** The files of the built console. */
export type Pages = {
  /** Answers a request for a page or one of its files; false for what is neither. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean>;
  /** Whether there are pages to be shown. */
  isBuilt(): Promise<boolean>;
};

type PagesOptions = {
  /** Where the build lies. */
  folder: string;
  publicUrl: string | null;
};

/** Whatever else a page of the console wants to load, the browser refuses. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "require-trusted-types-for 'script'",
];

const headers = {
  ...pageHeaders(policy, "'self'"),
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
};

/** Pages and files are the same for everybody: what is secret comes through the other doors. */
export function createPages({ folder, publicUrl }: PagesOptions): Pages {
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  /** A gateway that nobody looks at reads nothing. */
  const read = lookAtBuilt(folder);

  async function answerPage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireRead(request, response);
    const found = await read();
    const text = found
      ? // Every address of the page is relative to it, also below a path that a proxy takes away.
        found.index.replace('<head>', `<head><base href="${base}/console/">`)
      : unbuilt;
    response.writeHead(found ? 200 : 503, headers).end(request.method === 'HEAD' ? undefined : text);
  }

  return {
    isBuilt: async () => (await read()) !== null,
    async answer(request, response, path) {
      if (path === '') {
        requireRead(request, response);
        // Relative to the address that the browser knows, which a proxy may have put below a path.
        response.writeHead(308, { location: 'console/' }).end();
        return true;
      }
      const file = (await read())?.files.get(path.slice(1));
      if (file) {
        requireRead(request, response);
        return answerFile(request, response, file);
      }
      if (path !== '/' && path !== '/welcome' && !isNavigation(request, path)) return false;
      await answerPage(request, response);
      return true;
    },
  };
}

/** Whether a browser opens the path as a page of its own. A script or a font of an older build is none. */
const isNavigation = ({ headers, method }: IncomingMessage, path: string): boolean =>
  method === 'GET' && !path.startsWith('/assets/') && (headers.accept ?? '').includes('text/html');

function requireRead(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  response.setHeader('allow', 'GET, HEAD');
  throw new GatewayError('METHOD_NOT_ALLOWED');
}

const unbuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sluice</title>
<h1>The console is not built</h1>
<p>Run <code>npm run console:build</code> where Sluice runs, then load this page again. The gateway itself works without it.</p>
</html>
`;
