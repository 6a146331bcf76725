import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { inferenceOperations } from '../../../../src/dataplane/call/operations.ts';
import { rounds } from '../../../support/long.ts';
import { json, type Script } from '../../../support/provider.ts';
import { answers, native, type Place, placesIn, replaced, requests, TEXT } from './bodies.ts';
import { disguises, markers } from './disguises.ts';
import { type Forbidding, markersAt, startForbidding } from './forbidding.ts';

jest.setTimeout(rounds(30_000, 1_200_000));

/** Markers that each place takes in each disguise. */
const COUNT = rounds(1, markers.length);

let world: Forbidding;
beforeAll(async () => {
  world = await startForbidding();
});
afterAll(() => world.stop());

const configFor = (path: string) => world.to(path.includes('/messages') ? 'anthropic' : 'openai');
const concrete = (path: string) =>
  `/v1${path.replace('/proxy/{endpoint}', '/proxy/anything').replace(/\{\w+\}/, 'none')}`;

const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const isPost = ({ method }: { method: string }) => method === 'POST';
const forms = inferenceOperations.filter(({ sends }) => sends === 'a form').map(({ path }) => path);
const posts = inferenceOperations
  .filter((one) => isPost(one) && one.sends !== 'a form')
  .map(({ path }) => path);
/** What answers with numbers, names of models, or over a WebSocket, which has a test of its own. */
const withoutText = new Set([
  ...['POST /embeddings', 'POST /messages/count_tokens', 'POST /moderations', 'GET /realtime'],
  ...['GET /models', 'GET /models/{model}', 'DELETE /models/{model}'],
]);
const answering = inferenceOperations.filter((one) => !withoutText.has(keyOf(one)));

/** A batch whose output is asked for next. */
const finished = { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file-1' };

/** Every text of a body in every disguise; the markers take turns. */
function* cases(body: object) {
  let turn = 0;
  for (const [how, disguise] of Object.entries(disguises))
    for (const place of placesIn(body))
      for (const marker of markersAt(turn++, COUNT))
        yield { body: replaced(body, place, disguise(marker)), what: `${place.join('.')} ${how} ${marker}` };
}

/** What stands beside the texts of a body, or between the braces of JSON, and is not put together with them. */
const isApart = (place: Place) =>
  place.some((part) => /^(?:title|description|filename|arguments|name of .*)$/.test(String(part)));
/** Whether a text of a body follows another one, with nothing between them. */
const follows = (first: Place, next: Place) =>
  first[0] === next[0] && ![...first, ...next].some((part) => isApart([part]));

/** Markers of which one half ends a text, and the other begins the next. */
function* splits(body: object) {
  const places = [...placesIn(body)];
  let turn = 3;
  for (const [at, place] of places.slice(0, -1).entries())
    for (const marker of markersAt(turn++, COUNT)) {
      const half = Math.ceil(marker.length / 2);
      const first = replaced(body, place, `so ${marker.slice(0, half)}`);
      const next = places[at + 1] ?? [];
      if (!follows(place, next)) continue;
      yield {
        body: replaced(first, next, marker.slice(half)),
        what: `${place.join('.')} | ${next.join('.')} ${marker}`,
      };
    }
}

type Variants = Iterable<{ body: object; what: string }>;

async function leaksIn(path: string, variants: Variants, config: object): Promise<string[]> {
  const leaks: string[] = [];
  world.provider.play(json(200, {}));
  for (const { body, what } of variants) {
    const { status, hasReached } = await world.outcome({ path, config, body });
    if (status !== 446 || hasReached) leaks.push(`${what}: ${status}`);
  }
  return leaks;
}

describe('input', () => {
  test('there are 40 markers, and a body for every operation that takes one', () => {
    expect(new Set(markers).size).toBe(40);
    expect(posts.filter((path) => requests[path] === undefined)).toEqual([]);
  });

  test.each(posts)('%s lets no marker through', async (path) => {
    expect(await leaksIn(concrete(path), cases(requests[path] ?? {}), configFor(path))).toEqual([]);
  });

  test.each(['/chat/completions', '/messages', '/responses', '/embeddings', '/rerank'])(
    '%s lets none through that is split over two texts',
    async (path) => {
      expect(await leaksIn(concrete(path), splits(requests[path] ?? {}), configFor(path))).toEqual([]);
    },
  );

  test.each(Object.keys(native))('%s lets no marker through', async (path) => {
    expect(await leaksIn(path, cases(native[path] ?? {}), world.to())).toEqual([]);
  });

  test.each(['GET', 'DELETE', 'PUT', 'POST'])(
    'nor does the query of a %s that is passed on',
    async (method) => {
      const leaks: string[] = [];
      for (const marker of markersAt(0, COUNT)) {
        const path = `/v1/proxy/anything?q=${encodeURIComponent(`say ${marker} now`)}`;
        const body = method === 'POST' || method === 'PUT' ? { fine: TEXT } : null;
        const { status, hasReached } = await world.outcome({ method, path, config: world.to(), body });
        if (status !== 446 || hasReached) leaks.push(`${marker}: ${status}`);
      }
      expect(leaks).toEqual([]);
    },
  );

  test.each(Object.keys(requests))('what is clean goes through on %s', async (path) => {
    world.provider.play(json(200, { ok: true }));
    const { status, hasReached } = await world.outcome({
      ...{ path: concrete(path), config: configFor(path), body: requests[path] },
    });
    expect([status, hasReached]).toEqual([200, true]);
  });

  test.each(forms)('a form on %s: fields, files and their names', async (path) => {
    for (const marker of markersAt(forms.indexOf(path), COUNT))
      for (const place of ['field', 'file', 'name']) {
        // A name stands in quotes.
        const said = place === 'name' ? marker.replaceAll('"', '') : marker;
        if (!marker.includes(said)) continue;
        const at = (one: string) => (one === place ? said : TEXT);
        const body = [
          '--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n',
          `${at('field')}\r\n--b\r\n`,
          `content-disposition: form-data; name="file"; filename="${at('name')}.jsonl"\r\n`,
          `content-type: application/jsonl\r\n\r\n{"text":${JSON.stringify(at('file'))}}\r\n--b--\r\n`,
        ].join('');
        world.provider.play(json(200, {}));
        const { status, hasReached } = await world.outcome({
          path: `/v1${path}`,
          config: world.to(),
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
          body: Buffer.from(body),
        });
        expect([place, marker, status, hasReached]).toEqual([place, marker, 446, false]);
      }
  });
});

describe('output', () => {
  const given = (path: string, config: object, script: Script) => {
    world.provider.play(script);
    return world.outcome({ path: concrete(path), config, body: requests[path] });
  };

  test.each(Object.keys(answers))('%s gives no marker out', async (path) => {
    const leaks: string[] = [];
    for (const { body, what } of cases(answers[path] ?? {})) {
      const { status } = await given(path, configFor(path), json(200, body));
      if (status !== 446) leaks.push(`${what}: ${status}`);
    }
    expect(leaks).toEqual([]);
  });

  test.each(answering.map(keyOf))('whatever answers, %s gives no marker out', async (key) => {
    const [method = '', path = ''] = key.split(' ');
    const form = forms.includes(path);
    const asked = form
      ? {
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
          body: Buffer.from('--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n'),
        }
      : { body: method === 'GET' || method === 'DELETE' ? null : (requests[path] ?? { fine: TEXT }) };
    for (const marker of markersAt(
      answering.findIndex((one) => keyOf(one) === key),
      COUNT,
    )) {
      const answer: [string, Script][] = [
        ['JSON', json(200, { any: [{ thing: `so ${marker} it is` }] })],
        [
          'text',
          (_request, response) => {
            response.writeHead(200, { 'content-type': 'text/plain' });
            response.end(`one line\nso ${marker} it is\n`);
          },
        ],
      ];
      for (const [kind, script] of answer) {
        world.provider.play(...(path.endsWith('/output') ? [json(200, finished)] : []), script);
        const config = configFor(path);
        const { status } = await world.outcome({ method, path: concrete(path), config, ...asked });
        expect([kind, marker, status]).toEqual([kind, marker, 446]);
      }
    }
  });

  test('neither a cached answer nor that of a next target does', async () => {
    const said = (content: string) => ({
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content } }],
    });
    for (const [turn, [how, disguise]] of Object.entries(disguises).entries())
      for (const marker of markersAt(turn, COUNT)) {
        const bad = json(200, said(disguise(marker)));
        const cached = world.to('openai', {
          cache: { mode: 'simple', namespace: `${how} ${markers.indexOf(marker)}` },
        });
        for (const _again of [1, 2])
          expect([how, marker, (await given('/chat/completions', cached, bad)).status]).toEqual([
            how,
            marker,
            446,
          ]);
        const targets = {
          strategy: { mode: 'fallback', on_status_codes: [446] },
          targets: [world.to(), world.to()],
        };
        expect((await given('/chat/completions', targets, bad)).status).toBe(446);
        expect(world.provider.requests).toHaveLength(2);
      }
  });

  test('nor one that is compressed in a way that nobody can read', async () => {
    const script: Script = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'odd' });
      response.end('verboten');
    };
    expect((await given('/proxy/{endpoint}', world.to(), script)).status).toBe(446);
  });
});
