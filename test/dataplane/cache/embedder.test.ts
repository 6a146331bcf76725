import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  chatAnswer,
  json,
  type Script,
  type ScriptedProvider,
  startProvider,
} from '../../support/provider.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A semantic cache whose provider of embeddings is in trouble. */
let world: World;
let embeddings: ScriptedProvider;
/** How far the service's clock is ahead of the real one. */
let ahead = 0;

beforeAll(async () => {
  embeddings = await startProvider();
  world = await startWorld(
    { SEMANTIC_CACHE_EMBEDDINGS: JSON.stringify({ provider: 'openai', custom_host: embeddings.url }) },
    undefined,
    () => new Date(Date.now() + ahead),
  );
});
afterAll(async () => {
  await world.stop();
  await embeddings.stop();
});

const embed: Script = json(200, { data: [{ embedding: [1, 0] }] });
const fail: Script = json(500, {});
const hang: Script = () => undefined;

let questions = 0;
const next = () => `question ${++questions}`;
async function statusOf(content: string, headers: Record<string, string> = {}) {
  const answer = await world.call({
    body: { model: `@${world.slug}/gpt-4o`, user: content, messages: [{ role: 'user', content }] },
    config: { cache: { mode: 'semantic' } },
    headers,
  });
  expect(answer.status).toBe(200);
  return answer.headers['x-gateway-cache-status'];
}
const metric = async (name: string) => {
  const text = String((await world.app.rest('GET', '/metrics', { key: null })).body);
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
};

/** Ten seconds on, embeddings are tried again, and a good one ends the trouble. */
beforeEach(async () => {
  ahead += 10_000;
  world.provider.play(json(200, chatAnswer('kept')));
  embeddings.play(embed);
  expect(await statusOf(next())).toBe('SEMANTIC MISS');
  embeddings.requests.length = 0;
});

describe('embeddings that fail three times in a row', () => {
  test.each([
    ['with an error', fail],
    ['by silence', hang],
  ])('%s are left alone for ten seconds, and calls go on by equal questions', async (_name, trouble) => {
    const skipped = await metric('sluice_cache_skipped');
    const failures = await metric('sluice_cache_failures');
    embeddings.play(trouble);
    const first = [next(), next(), next()];
    // Of one second each, which they wait for together.
    expect(await Promise.all(first.map((question) => statusOf(question)))).toEqual(['MISS', 'MISS', 'MISS']);
    expect(embeddings.requests).toHaveLength(3);
    for (const question of first) expect(await statusOf(question)).toBe('HIT');
    expect(await statusOf(next())).toBe('MISS');
    expect(await statusOf(next())).toBe('MISS');
    expect(embeddings.requests).toHaveLength(3);
    expect((await metric('sluice_cache_skipped')) - skipped).toBe(2);
    expect((await metric('sluice_cache_failures')) - failures).toBe(3);
  });

  test('are then tried by one question alone, and rest again when that fails', async () => {
    embeddings.play(fail);
    for (let count = 0; count < 3; count++) await statusOf(next());
    ahead += 5000;
    await statusOf(next());
    expect(embeddings.requests).toHaveLength(3);
    ahead += 5000;
    // Those that come while the first of them tries do not wait.
    const tried = Promise.withResolvers<void>();
    embeddings.play(async (_request, response) => {
      await tried.promise;
      response.writeHead(500).end();
    });
    const trial = statusOf(next());
    expect(await Promise.race([statusOf(next()), statusOf(next())])).toBe('MISS');
    tried.resolve();
    expect(await trial).toBe('MISS');
    expect(embeddings.requests).toHaveLength(1);
    embeddings.play(embed);
    expect(await statusOf(next())).toBe('MISS');
    ahead += 10_000;
    expect(await statusOf(next())).toBe('SEMANTIC MISS');
    expect(await statusOf(next())).toBe('SEMANTIC MISS');
  });
});

describe('what a caller causes leaves the questions of others alone:', () => {
  test.each([400, 413, 422])('questions that are refused with %i', async (status) => {
    embeddings.play(json(status, {}));
    for (let count = 0; count < 4; count++) expect(await statusOf(next())).toBe('MISS');
    expect(embeddings.requests).toHaveLength(4);
    embeddings.play(embed);
    expect(await statusOf(next())).toBe('SEMANTIC MISS');
  });

  test('less time than embeddings have, which bounds the wait', async () => {
    embeddings.play(hang);
    const patient = statusOf(next());
    const impatient = Array.from({ length: 3 }, () =>
      statusOf(next(), { 'x-gateway-request-timeout': '200' }),
    );
    expect(await Promise.race([patient.then(() => 'patient'), ...impatient])).toBe('MISS');
    expect(await Promise.all(impatient)).toEqual(['MISS', 'MISS', 'MISS']);
    await patient;
    embeddings.play(embed);
    expect(await statusOf(next())).toBe('SEMANTIC MISS');
  });
});
