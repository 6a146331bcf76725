import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let production: TestApp;
/** Where the console lies, which `/` leads browsers to: tests do not depend on whether it was built here. */
let built: string;
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'sluice-pages-'));
  await writeFile(join(built, 'index.html'), '<!doctype html><html><head></head></html>');
  app = await startApp({ CONSOLE_DIR: built });
  production = await startApp({ NODE_ENV: 'production' });
});
afterAll(async () => {
  await Promise.all([app.stop(), production.stop()]);
  await rm(built, { recursive: true });
});

const look = (path: string, { url } = app) => fetch(url + path, { headers: { accept: 'text/html' } });

/** The sources of a directive, such as `script-src`. */
const sourcesOf = ({ headers }: Response, directive: string): string[] | undefined => {
  const policy = headers.get('content-security-policy') ?? '';
  const found = policy.split('; ').find((part) => part.startsWith(`${directive} `));
  return found?.split(' ').slice(1);
};

describe('what a browser renders', () => {
  it.each([
    ['/graphql', 200],
    ['/explorer/', 200],
    ['/reference', 200],
    ['/openapi.json', 200],
    // Both lead to the console, whose forms may be sent to the console alone.
    ['/invites/anything', 200, "'self'"],
    ['/', 200, "'self'"],
    ['/healthz', 200],
    ['/readyz', 200],
    ['/metrics', 200],
    ['/nowhere', 404],
  ])('says at %s what it may load, and is in no frame', async (path, status, formAction = "'none'") => {
    const page = await look(path);
    expect(page.status).toBe(status);
    expect(sourcesOf(page, 'default-src')).toEqual(["'none'"]);
    expect(sourcesOf(page, 'frame-ancestors')).toEqual(["'none'"]);
    expect(sourcesOf(page, 'form-action')).toEqual([formAction]);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('runs in the explorer only what is served from here, and talks to nobody else', async () => {
    const page = await look('/explorer/');
    expect(sourcesOf(page, 'script-src')).toEqual(["'self'", expect.stringMatching(/^'sha256-/)]);
    expect(sourcesOf(page, 'connect-src')).toEqual(["'self'"]);
    // Scripts of its users run in a frame of their own origin, which the explorer alone may show.
    const frame = await look('/explorer/iframe-sandbox/index.html');
    expect(frame.status).toBe(200);
    expect(frame.headers.get('content-security-policy')).toBe(
      "sandbox allow-scripts; frame-ancestors 'self'",
    );
  });

  it('loads of Apollo what Sandbox needs, and talks to nobody else', async () => {
    const page = await look('/graphql');
    expect(await page.text()).toContain('EmbeddedSandbox');
    const sandbox = 'https://embeddable-sandbox.cdn.apollographql.com';
    expect(sourcesOf(page, 'script-src')).toEqual(["'unsafe-inline'", sandbox]);
    expect(sourcesOf(page, 'connect-src')).toEqual(["'self'"]);
    expect(sourcesOf(page, 'frame-src')).toEqual(['https://sandbox.embed.apollographql.com']);
  });

  it('shows Sandbox in production to those who ask for it', () => {
    const env = { NODE_ENV: 'production' };
    expect(readSettings(env).graph.sandbox).toBe(false);
    expect(readSettings({ ...env, GRAPHQL_SANDBOX: 'true' }).graph.sandbox).toBe(true);
    expect(readSettings({ GRAPHQL_SANDBOX: 'false' }).graph.sandbox).toBe(false);
  });

  it('has no script of others at all in production', async () => {
    const page = await look('/graphql', production);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain('href="explorer"');
    expect(text).not.toMatch(/<script|apollo/i);
    expect((await look('/explorer/', production)).status).toBe(200);
  });
});
