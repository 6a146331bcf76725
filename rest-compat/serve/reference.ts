import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { pageHeaders } from '../../src/lib/http/page-headers.ts';
import type { OpenApi } from '../openapi/index.ts';
import { type FixedAnswer, fixedAnswer, sendFixed } from './fixed-answer.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sluice REST reference</title>
    <link rel="icon" type="image/png" href="/reference/favicon-32x32.png">
    <link rel="stylesheet" href="/reference/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/reference/swagger-ui-bundle.js"></script>
    <script src="/reference/start.js"></script>
  </body>
</html>
`;

// Without a validator of null the page would show the description to a service on the internet.
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

const html = 'text/html; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

const pageFiles: Record<string, () => FixedAnswer> = {
  '/reference': () => fixedAnswer(page, html),
  '/reference/start.js': () => fixedAnswer(start, javascript),
  '/reference/swagger-ui-bundle.js': () => bundled('swagger-ui-bundle.js', javascript),
  '/reference/swagger-ui.css': () => bundled('swagger-ui.css', 'text/css; charset=utf-8'),
  '/reference/favicon-32x32.png': () => bundled('favicon-32x32.png', 'image/png'),
};

const { resolve } = createRequire(import.meta.url);
const bundled = (name: string, type: string): FixedAnswer =>
  fixedAnswer(readFileSync(resolve(`swagger-ui-dist/${name}`)), type);

/**
 * The page may load from and send to this service alone: a script that a description smuggled in could neither run
 * nor reach anybody.
 */
const headers = Object.entries(
  pageHeaders([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
  ]),
);

export type Reference = {
  /** The handler of a path of the reference; null for any other. */
  match(path: string): ((request: IncomingMessage, response: ServerResponse) => void) | null;
};

/**
 * The description of the REST API at /openapi.json, made when it is first asked for, and a page to read it at
 * /reference, with all its files served from here: it works without the internet.
 */
export function createReference(describe: () => OpenApi): Reference {
  const files: Record<string, () => FixedAnswer> = {
    ...pageFiles,
    '/openapi.json': () => fixedAnswer(JSON.stringify(describe()), 'application/json; charset=utf-8'),
  };
  const made = new Map<string, FixedAnswer>();
  return {
    match(path) {
      const file = path === '/reference/' ? '/reference' : path;
      const make = Object.hasOwn(files, file) ? files[file] : undefined;
      if (!make) return null;
      return (request, response) => {
        const answer = made.get(file) ?? make();
        made.set(file, answer);
        for (const [name, value] of headers) response.setHeader(name, value);
        sendFixed(request, response, answer);
      };
    },
  };
}
