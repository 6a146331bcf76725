import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inferenceOperations } from '../../../../src/dataplane/call/operations.ts';
import { eventStream, json, type Script } from '../../../support/provider.ts';
import { startWorld, type World } from '../../../support/world.ts';
import { answers, native, placesIn, replaced, requests, TEXT } from './bodies.ts';
import { disguises, markers } from './disguises.ts';

let world: World;
let config: object;

beforeAll(async () => {
  world = await startWorld({ ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') });
  config = { provider: 'anthropic', api_key: 'k', custom_host: world.provider.url };
  const made = await world.app.rest('POST', '/v1/org-guardrails', {
    key: world.app.adminKey,
    body: {
      name: 'Nothing forbidden',
      checks: [{ id: 'default.contains', parameters: { words: markers, operator: 'none' } }],
      actions: { deny: true, scope: 'all' },
    },
  });
  const both = [(made.body as { id: string }).id];
  const set = await world.app.rest('PUT', '/v1/admin/organisation/defaults', {
    key: world.app.adminKey,
    body: { input_guardrails: both, output_guardrails: both },
  });
  expect([made.status, set.status]).toEqual([200, 200]);
  // From the first call on the rule is known.
  await world.call({ config: openAi(), body: requests['/chat/completions'] });
});
afterAll(() => world.stop());

const openAi = () => ({ ...config, provider: 'openai' });
const configFor = (path: string) => (path.includes('/messages') ? config : openAi());
const concrete = (path: string) =>
  `/v1${path.replace('/proxy/{endpoint}', '/proxy/anything').replace(/\{\w+\}/, 'none')}`;
const posts = inferenceOperations.filter(({ method, sends }) => method === 'POST' && sends !== 'a form');

/** Every text of a body in every disguise; the markers take turns. */
function* cases(body: object) {
  let turn = 0;
  for (const [how, disguise] of Object.entries(disguises))
    for (const place of placesIn(body)) {
      const marker = markers[turn++ % markers.length] ?? '';
      yield { body: replaced(body, place, disguise(marker)), place: place.join('.'), how, marker };
    }
}

async function leaksIn(path: string, body: object, asked: object): Promise<string[]> {
  const leaks: string[] = [];
  world.provider.play(json(200, {}));
  for (const variant of cases(body)) {
    const { status } = await world.call({ path, config: asked, body: variant.body });
    if (status !== 446 || world.provider.requests.length > 0)
      leaks.push(`${variant.place} ${variant.how} ${variant.marker}: ${status}`);
    world.provider.requests.length = 0;
  }
  return leaks;
}

describe('input', () => {
  test('every operation that takes text has a body here', () => {
    expect(posts.map(({ path }) => path).filter((path) => requests[path] === undefined)).toEqual([]);
  });

  test.each(posts.map(({ path }) => path))('%s lets no marker through', async (path) => {
    expect(await leaksIn(concrete(path), requests[path] ?? {}, configFor(path))).toEqual([]);
  });

  test.each(Object.keys(native))('%s lets no marker through', async (path) => {
    expect(await leaksIn(path, native[path] ?? {}, openAi())).toEqual([]);
  });

  test.each(Object.keys(requests))('what is clean goes through on %s', async (path) => {
    world.provider.play(json(200, { ok: true }));
    const answer = await world.call({ path: concrete(path), config: configFor(path), body: requests[path] });
    expect([answer.status, world.provider.requests.length]).toEqual([200, 1]);
  });

  test.each(['/images/edits', '/audio/transcriptions', '/files'])(
    'a form on %s: fields, files and their names',
    async (path) => {
      for (const place of ['field', 'file', 'name']) {
        const marker = (at: string) => (at === place ? 'forbiddenword' : TEXT);
        const body = [
          '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n',
          `${marker('field')}\r\n--b\r\n`,
          `content-disposition: form-data; name="file"; filename="${marker('name')}.jsonl"\r\n`,
          `content-type: application/jsonl\r\n\r\n{"text":"${marker('file')}"}\r\n--b--\r\n`,
        ].join('');
        world.provider.play(json(200, {}));
        const headers = { 'content-type': 'multipart/form-data; boundary=b' };
        const { status } = await world.call({
          path: `/v1${path}`,
          config: openAi(),
          headers,
          body: Buffer.from(body),
        });
        expect([place, status, world.provider.requests.length]).toEqual([place, 446, 0]);
      }
    },
  );
});

describe('output', () => {
  const leaked = async (path: string, asked: object, script: Script, more: object = {}) => {
    world.provider.play(script);
    const answer = await world.call({
      path: concrete(path),
      config: asked,
      body: { ...requests[path], ...more },
    });
    return answer;
  };

  test.each(Object.keys(answers))('%s gives no marker out', async (path) => {
    const leaks: string[] = [];
    for (const variant of cases(answers[path] ?? {})) {
      const { status } = await leaked(path, configFor(path), json(200, variant.body));
      if (status !== 446) leaks.push(`${variant.place} ${variant.how} ${variant.marker}: ${status}`);
    }
    expect(leaks).toEqual([]);
  });

  /** Streamed texts by the members that carry them. */
  const deltas: [string, (text: string) => object][] = [
    ['content', (content) => ({ content })],
    ['reasoning', (reasoning_content) => ({ reasoning_content })],
    ['refusal', (refusal) => ({ refusal })],
    ['arguments', (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })],
  ];
  test.each(deltas)('a stream of %s, one character a frame, gives no marker out', async (_name, deltaOf) => {
    const leaks: string[] = [];
    for (const [turn, [how, disguise]] of Object.entries(disguises).entries())
      for (const at of [turn, turn + 1, turn + 2]) {
        const marker = markers[at % markers.length] ?? '';
        const said = disguise(marker);
        const frame = (text: string) => {
          const chunk = { id: 'x', choices: [{ index: at % 2, delta: deltaOf(text), finish_reason: null }] };
          return `data: ${JSON.stringify(chunk)}\n\n`;
        };
        const frames = [
          frame('at first nothing but good words are said '),
          ...[...said].map(frame),
          'data: [DONE]\n\n',
        ];
        const { text } = await leaked('/chat/completions', openAi(), eventStream([frames.join('')]), {
          stream: true,
        });
        if (!text.includes('hooks_failed')) leaks.push(`${how} ${marker}`);
      }
    expect(leaks).toEqual([]);
  });

  test('neither a cached answer nor that of a next target does', async () => {
    const bad = json(200, {
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'verboten' } }],
    });
    const cached = { ...openAi(), cache: { mode: 'simple' } };
    expect((await leaked('/chat/completions', cached, bad)).status).toBe(446);
    expect((await leaked('/chat/completions', cached, bad)).status).toBe(446);
    const targets = { strategy: { mode: 'fallback' }, targets: [openAi(), openAi()] };
    expect((await leaked('/chat/completions', targets, bad)).status).toBe(446);
    expect(world.provider.requests).toHaveLength(2);
  });

  test('nor one that is compressed in a way that nobody can read', async () => {
    const script: Script = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'odd' });
      response.end('verboten');
    };
    expect((await leaked('/proxy/{endpoint}', openAi(), script)).status).toBe(446);
  });
});
