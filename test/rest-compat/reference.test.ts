import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const get = (path: string, init: RequestInit = {}) => fetch(app.url + path, init);

/** Everything that a page loads, as it names it. */
const assetsOf = (html: string) => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);

describe('/reference', () => {
  it('is a page whose every file is served from here', async () => {
    const page = await get('/reference');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const assets = assetsOf(await page.text());
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      expect(asset).toMatch(/^\/reference\/[\w.-]+$/);
      const file = await get(asset);
      expect({ asset, status: file.status }).toEqual({ asset, status: 200 });
      const text = await file.text();
      expect(text.length).toBeGreaterThan(100);
      if (asset.endsWith('.css')) expect(text).not.toMatch(/url\(["']?(https?:)?\/\//);
    }
  });

  it('lets nothing run that is not a file of its own, and asks nobody else', async () => {
    const { headers } = await get('/reference');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const html = await (await get('/reference')).text();
    expect(html).not.toMatch(/<script(?![^>]*src)|<style|\son\w+=/);
    const start = await (await get('/reference/start.js')).text();
    expect(start).toContain("url: '/openapi.json'");
    // Its default sends the description to a validator on the internet.
    expect(start).toContain('validatorUrl: null');
  });

  it.each([
    '/reference/../package.json',
    '/reference/none.js',
    '/reference/swagger-ui.js.map',
    '/openapi.yaml',
  ])('knows no %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('/openapi.json', () => {
  it('needs no credential', async () => {
    const answer = await get('/openapi.json');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toMatchObject({ openapi: '3.0.0', info: { version: '3.0.0' } });
  });

  it('answers 304 to whoever has it already', async () => {
    const etag = (await get('/openapi.json')).headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const again = await get('/openapi.json', { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: '' });
    const stale = await get('/openapi.json', { headers: { 'if-none-match': '"other"' } });
    expect(stale.status).toBe(200);
  });

  it('takes GET and HEAD alone', async () => {
    const head = await get('/openapi.json', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000);
    const post = await get('/openapi.json', { method: 'POST', body: '{}' });
    expect({ status: post.status, allow: post.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'HEAD, GET',
    });
    expect(await post.json()).toMatchObject({ error: { code: 'AB01' } });
  });
});
