import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { urlsIn } from '../../../../src/guardrails/checks/remote/url-texts.ts';
import { problemsOf, run } from '../checked.ts';
import { type Loopback, networkServices, startLoopback } from '../loopback.ts';

const URLS = 'default.validUrls';
const IMAGES = 'default.inlineImageUrls';

let service: Loopback;
beforeAll(async () => {
  service = await startLoopback();
});
afterAll(() => service.stop());
beforeEach(() => {
  service.received.length = 0;
});

const services = networkServices();

describe('the URLs of a text', () => {
  test.each<[string, string[]]>([
    [
      'See https://a.example/x?y=1#z, or http://b.example.',
      ['https://a.example/x?y=1#z', 'http://b.example'],
    ],
    ['(https://a.example/b) [c](https://a.example/d)', ['https://a.example/b', 'https://a.example/d']],
    ['https://a.example/Foo_(bar) https://a.example/Foo_(bar)', ['https://a.example/Foo_(bar)']],
    ['`https://a.example` "https://b.example"', ['https://a.example', 'https://b.example']],
    ['no ftp://a.example and no a.example', []],
  ])('%s', (text, urls) => {
    expect(urlsIn(text)).toEqual(urls);
  });
});

describe(URLS, () => {
  const answers: Record<string, { status: number; headers?: Record<string, string> }> = {
    '/ok': { status: 200 },
    '/gone': { status: 404 },
    '/moved': { status: 301, headers: { location: '/ok' } },
    '/circle': { status: 302, headers: { location: '/circle' } },
    '/abroad': { status: 302, headers: { location: 'http://127.0.0.2:1/' } },
  };
  const check = (text: string, parameters: object = {}) => {
    service.answer = ({ path }) => answers[path] ?? { status: 500 };
    return run(URLS, parameters, { text: text.replaceAll('@', service.url) }, services);
  };

  test.each<[string, string, object, boolean]>([
    ['one that answers', 'See @/ok.', {}, true],
    ['all that answer', '@/ok and @/moved', {}, true],
    ['one that does not', '@/ok and @/gone', {}, false],
    ['a circle', '@/circle', {}, false],
    ['a redirect to another host', '@/abroad', {}, false],
    ['nobody there', 'http://127.0.0.1:1/', {}, false],
    ['none', 'no URL', {}, false],
    ['one that does not, turned round', '@/gone', { not: true }, true],
    ['a name that resolves', 'https://www.example/x', { onlyDNS: true }, true],
    ['a name that does not', 'https://www.nowhere/x', { onlyDNS: true }, false],
    ['credentials in it', 'https://u:p@www.example/x', { onlyDNS: true }, false],
  ])('%s', async (_what, text, parameters, verdict) => {
    const written = text.includes('u:p@') ? text : text.replaceAll('@', service.url);
    service.answer = ({ path }) => answers[path] ?? { status: 500 };
    expect((await run(URLS, parameters, { text: written }, services)).verdict).toBe(verdict);
  });

  it('says no more than how many do not exist', async () => {
    expect((await check('@/ok @/gone http://127.0.0.1:1/')).data).toEqual({
      not: false,
      urls: 3,
      invalidUrls: 2,
    });
  });

  it('asks by HEAD, without anything of the caller', async () => {
    await check('@/ok');
    const [received] = service.received;
    expect([received?.method, received?.headers.authorization]).toEqual(['HEAD', undefined]);
  });

  it('fails with an error on more than it can look at', async () => {
    const text = Array.from({ length: 11 }, (_, index) => `@/ok?${index}`).join(' ');
    await expect(check(text)).rejects.toThrow('more than 10 URLs');
  });

  test.each([[{ onlyDNS: 'yes' }, /^onlyDNS: /] as const])('refuses %j', (parameters, problem) => {
    expect(problemsOf(URLS, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});

describe(IMAGES, () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  const data = png.toString('base64');
  beforeEach(() => {
    service.answer = ({ path }) =>
      path.startsWith('/image')
        ? { headers: { 'content-type': 'image/png; x=1' }, body: png }
        : { headers: { 'content-type': 'text/html' }, body: '<html>' };
  });
  const inlined = (request: Record<string, unknown>, parameters: object = {}) =>
    run(IMAGES, parameters, { call: { request }, phase: 'input' }, services);
  const content = (url: string) => [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url, detail: 'low' } },
  ];

  it('puts images into chat completions', async () => {
    const url = `${service.url}/image`;
    const { verdict, body } = await inlined({
      model: 'm',
      messages: [{ role: 'user', content: content(url) }],
    });
    expect([verdict, body]).toEqual([
      true,
      { model: 'm', messages: [{ role: 'user', content: content(`data:image/png;base64,${data}`) }] },
    ]);
  });

  it('puts images into responses and messages, also within the results of tools', async () => {
    const url = `${service.url}/image`;
    const responses = await inlined({ input: [{ content: [{ type: 'input_image', image_url: url }] }] });
    expect(responses.body).toEqual({
      input: [{ content: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }] }],
    });
    const part = { type: 'image', source: { type: 'url', url } };
    const messages = await inlined({ messages: [{ content: [{ type: 'tool_result', content: [part] }] }] });
    const source = { type: 'base64', media_type: 'image/png', data };
    expect(messages.body).toEqual({
      messages: [{ content: [{ type: 'tool_result', content: [{ type: 'image', source }] }] }],
    });
  });

  it('leaves alone what is no image, and counts it', async () => {
    const request = { messages: [{ content: content(`${service.url}/page`) }] };
    expect(await inlined(request)).toEqual({ verdict: true, data: { images: 1, failures: 1 } });
    await expect(inlined(request, { failOnError: true })).rejects.toThrow('1 of 1 images');
  });

  it('fetches for the providers it is told', async () => {
    const request = { messages: [{ content: content(`${service.url}/image`) }] };
    expect((await inlined(request, { providers: ['bedrock'] })).body).toBeUndefined();
    expect(service.received).toEqual([]);
    expect((await inlined(request, { providers: ['openai'] })).body).toBeDefined();
  });

  it('fails with an error on more than it can fetch', async () => {
    const parts = Array.from({ length: 21 }, (_, index) => content(`${service.url}/image${index}`)[1]);
    await expect(inlined({ messages: [{ content: parts }] })).rejects.toThrow('more than 20');
  });

  test.each<[object, RegExp]>([
    [{ maxSizeBytes: 1e9 }, /^maxSizeBytes: /],
    [{ timeoutMs: 0 }, /^timeoutMs: /],
    [{ providers: 'openai' }, /^providers: /],
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(IMAGES, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});
