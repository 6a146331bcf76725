import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { startAppWith, type TestApp } from '../support/app.ts';

const script = `export const long = '${'x'.repeat(2000)}';\n`;
const page =
  '<!doctype html><html><head><script type="module" src="./assets/main-1a2b.js"></script></head></html>';

let work: string;
let built: TestApp;
let unbuilt: TestApp;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'sluice-console-'));
  const full = join(work, 'full');
  await mkdir(join(full, 'assets'), { recursive: true });
  await writeFile(join(full, 'index.html'), page);
  await writeFile(join(full, 'theme.js'), 'document.title;');
  await writeFile(join(full, 'documents.json'), '{}');
  await writeFile(join(full, 'assets/main-1a2b.js'), script);
  await writeFile(join(full, 'assets/main-1a2b.js.br'), brotliCompressSync(script));
  await writeFile(join(full, 'assets/inter-3c4d.woff2'), Buffer.from([0, 1, 2]));
  built = await startAppWith({
    env: { CONSOLE_DIR: full, PUBLIC_URL: 'https://ai.example.com/team/ai' },
  });
  unbuilt = await startAppWith({ env: { CONSOLE_DIR: join(work, 'later') } });
});
afterAll(async () => {
  await Promise.all([built.stop(), unbuilt.stop()]);
  await rm(work, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, app = built, method = 'GET') =>
  fetch(`${app.url}${path}`, { method, headers, redirect: 'manual' });

const navigation = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'cross-site' };

describe('a page of the console', () => {
  it.each(['/console/', '/console/welcome', '/console/main/logs?model=gpt-4o', '/console/_/logs/a-b'])(
    'is one page at every address, whoever links to it: %s',
    async (path) => {
      const response = await get(path, navigation);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.text()).toBe(page.replace('<head>', '<head><base href="/team/ai/console/">'));
    },
  );

  it('loads nothing from elsewhere, and runs no text as a script', async () => {
    const { headers } = await get('/console/');
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'self'",
      "require-trusted-types-for 'script'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('is led to from the address of the service, for browsers alone', async () => {
    const browser = await get('/', navigation);
    expect([browser.status, browser.headers.get('location')]).toEqual([302, 'console/']);
    const program = await get('/');
    expect([program.status, await program.text()]).toEqual([200, expect.stringContaining('is running')]);
    const bare = await get('/console');
    expect([bare.status, bare.headers.get('location')]).toEqual([308, 'console/']);
  });

  it('is only read', async () => {
    const response = await get('/console/', { 'sec-fetch-site': 'same-origin' }, built, 'DELETE');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await get('/console/', {}, built, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('a file of the console', () => {
  it('stays for a year when its name holds its hash, and is compressed for who takes that', async () => {
    const path = '/console/assets/main-1a2b.js';
    const plain = await get(path, { 'accept-encoding': 'gzip, br;q=0' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await plain.text()).toBe(script);
    const compressed = await get(path, { 'accept-encoding': 'gzip, br' });
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect(compressed.headers.get('vary')).toBe('accept-encoding');
    expect(await compressed.text()).toBe(script);
  });

  it('of a lasting name is asked for again, and not sent twice', async () => {
    const first = await get('/console/theme.js');
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const etag = first.headers.get('etag') ?? '';
    const again = await get('/console/theme.js', { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/console/theme.js', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    '/console/assets/gone-0000.js',
    '/console/documents.json',
    '/console/index.html',
    '/console/assets/main-1a2b.js.br',
    '/console/..%2f..%2fpackage.json',
    '/console/assets/../../package.json',
  ])('is nothing else that lies there: %s', async (path) => {
    const response = await get(path, { 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(404);
  });
});

test('a console that is not built says how, and appears once it is', async () => {
  const before = await get('/console/', {}, unbuilt);
  expect([before.status, await before.text()]).toEqual([
    503,
    expect.stringContaining('npm run console:build'),
  ]);
  await cp(join(work, 'full'), join(work, 'later'), { recursive: true });
  const after = await get('/console/', {}, unbuilt);
  expect([after.status, await after.text()]).toEqual([
    200,
    page.replace('<head>', '<head><base href="/console/">'),
  ]);
});

test('a build that takes the place of another one is shown at once, and while it is not there the one before is', async () => {
  const folder = join(work, 'renewed');
  await cp(join(work, 'full'), folder, { recursive: true });
  const renewed = await startAppWith({ env: { CONSOLE_DIR: folder } });
  try {
    const path = '/console/assets/main-1a2b.js';
    expect((await get(path, {}, renewed)).status).toBe(200);
    await rename(folder, `${folder}.before`);
    expect((await get('/console/', {}, renewed)).status).toBe(200);
    expect((await get(path, { 'sec-fetch-site': 'same-origin' }, renewed)).status).toBe(404);
    await cp(`${folder}.before`, folder, { recursive: true });
    await rename(join(folder, 'assets/main-1a2b.js'), join(folder, 'assets/main-5e6f.js'));
    await writeFile(join(folder, 'index.html'), page.replace('1a2b', '5e6f'));
    expect(await (await get('/console/', {}, renewed)).text()).toContain('main-5e6f.js');
    const [found, gone] = await Promise.all(
      ['main-5e6f.js', 'main-1a2b.js'].map((name) =>
        get(`/console/assets/${name}`, { 'sec-fetch-site': 'same-origin' }, renewed),
      ),
    );
    expect([found?.status, await found?.text(), gone?.status]).toEqual([200, script, 404]);
  } finally {
    await renewed.stop();
  }
});

test('a console that is switched off leaves nothing at its addresses', async () => {
  const off = await startAppWith({ env: { CONSOLE: 'off', CONSOLE_DIR: join(work, 'full') } });
  try {
    const headers = { 'sec-fetch-site': 'same-origin' };
    for (const path of ['/console', '/console/', '/console/sign-in', '/console/theme.js'])
      expect([path, (await get(path, headers, off)).status]).toEqual([path, 404]);
    expect((await get('/', navigation, off)).status).toBe(200);
  } finally {
    await off.stop();
  }
});
