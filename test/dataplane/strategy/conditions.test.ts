import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chatAnswer, json } from '../../support/provider.ts';
import { messages, startWorld, type World } from '../../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Which of the targets a request with these conditions reaches. */
async function chosen(
  conditions: [query: object, target: string][],
  { metadata, params = {}, path }: { metadata?: unknown; params?: object; path?: string } = {},
): Promise<string> {
  world.provider.play(json(200, chatAnswer('ok')));
  const target = (name: string) => ({ name, provider: `@${world.slug}`, override_params: { chosen: name } });
  const answer = await world.call({
    path,
    config: {
      strategy: { mode: 'conditional', conditions: conditions.map(condition), default: 'rest' },
      targets: [target('first'), target('second'), target('rest')],
    },
    headers: metadata === undefined ? {} : { 'x-gateway-metadata': JSON.stringify(metadata) },
    body: { model: 'm', messages, ...params },
  });
  expect(answer.status).toBe(200);
  return JSON.parse(world.provider.requests[0]?.body.toString() ?? '{}').chosen;
}

const condition = ([query, then]: [object, string]) => ({ query, then });

const one = (query: object): [object, string][] => [[query, 'first']];

type Case = [query: object, matches: boolean];
const metadata = { plan: 'pro', age: '30', empty: '', note: 'Ärger', a: '1', b: '2' };
const params = { model: 'gpt-4o', n: 2, stream: false, seed: null, stop: ['x'], user: '10' };

const cases: Case[] = [
  [{ 'metadata.plan': 'pro' }, true],
  [{ 'metadata.plan': 'Pro' }, false],
  [{ 'metadata.empty': '' }, true],
  [{ 'params.n': 2 }, true],
  [{ 'params.n': '2' }, false],
  [{ 'params.stream': false }, true],
  [{ 'params.seed': null }, true],
  [{ 'metadata.plan': { $eq: 'pro' } }, true],
  [{ 'params.n': { $eq: '2' } }, false],
  [{ 'metadata.plan': { $ne: 'free' } }, true],
  [{ 'metadata.plan': { $ne: 'pro' } }, false],
  [{ 'params.n': { $ne: '2' } }, true],
  [{ 'metadata.age': { $gt: 29 } }, true],
  [{ 'metadata.age': { $gt: 30 } }, false],
  [{ 'metadata.age': { $gte: '30' } }, true],
  [{ 'params.user': { $lt: '9' } }, false],
  [{ 'params.user': { $gt: '9' } }, true],
  [{ 'params.n': { $lt: 2.5 } }, true],
  [{ 'params.n': { $lte: 2 } }, true],
  [{ 'params.n': { $lte: 1 } }, false],
  [{ 'metadata.plan': { $gt: 1 } }, false],
  [{ 'metadata.plan': { $lte: 1 } }, false],
  [{ 'metadata.plan': { $in: ['free', 'pro'] } }, true],
  [{ 'metadata.plan': { $in: [] } }, false],
  [{ 'params.n': { $in: ['2'] } }, false],
  [{ 'metadata.plan': { $nin: ['free'] } }, true],
  [{ 'metadata.plan': { $nin: ['pro'] } }, false],
  [{ 'metadata.plan': { $in: 'pro' } }, false],
  [{ 'metadata.plan': { $nin: 'x' } }, false],
  [{ 'metadata.plan': { $regex: 'r' } }, true],
  [{ 'metadata.plan': { $regex: '^p.o$' } }, true],
  [{ 'metadata.plan': { $regex: '^P' } }, false],
  [{ 'metadata.note': { $regex: 'rger$' } }, true],
  [{ 'metadata.plan': { $regex: '(' } }, false],
  [{ 'params.n': { $regex: '^2$' } }, true],
  [{ 'metadata.plan': 'pro', 'metadata.age': '30' }, true],
  [{ 'metadata.plan': 'pro', 'metadata.age': '31' }, false],
  [{ 'metadata.age': { $gt: 20, $lt: 40 } }, true],
  [{ 'metadata.age': { $gt: 20, $lt: 25 } }, false],
  [{ $and: [{ 'metadata.a': '1' }, { 'metadata.b': '2' }] }, true],
  [{ $and: [{ 'metadata.a': '1' }, { 'metadata.b': '3' }] }, false],
  [{ $or: [{ 'metadata.a': '0' }, { 'metadata.b': '2' }] }, true],
  [{ $or: [{ 'metadata.a': '0' }, { 'metadata.b': '0' }] }, false],
  [{ $or: [{ $and: [{ 'metadata.a': '1' }, { 'metadata.b': '0' }] }, { 'metadata.plan': 'pro' }] }, true],
  [{ $and: [{ $or: [{ 'metadata.a': '0' }, { 'metadata.a': '1' }] }, { 'params.model': 'gpt-4o' }] }, true],
  [{ 'metadata.plan': 'pro', $or: [{ 'metadata.a': '0' }] }, false],
  // What is missing, or is no primitive, matches nothing: also not $ne and $nin.
  [{ 'metadata.missing': { $ne: 'x' } }, false],
  [{ 'metadata.missing': { $nin: ['x'] } }, false],
  [{ 'metadata.toString': { $ne: 'x' } }, false],
  [{ 'params.missing': null }, false],
  [{ 'params.stop': { $ne: 'x' } }, false],
  [{ 'params.messages': { $ne: null } }, false],
  [{ 'url.pathname': '/v1/chat/completions' }, true],
  [{ 'url.pathname': { $regex: 'embeddings' } }, false],
];

test.each(cases)('%j matches: %s', async (query, matches) => {
  expect(await chosen(one(query), { metadata, params })).toBe(matches ? 'first' : 'rest');
});

test('conditions are tried in order and the first that holds decides', async () => {
  const both: [object, string][] = [
    [{ 'metadata.a': '1' }, 'second'],
    [{ 'metadata.a': '1' }, 'first'],
  ];
  expect(await chosen(both, { metadata })).toBe('second');
});

test('numbers and booleans of the metadata are compared as texts', async () => {
  expect(
    await chosen(one({ 'metadata.n': '5', 'metadata.yes': 'true' }), { metadata: { n: 5, yes: true } }),
  ).toBe('first');
});

test('without metadata the default is taken', async () => {
  expect(await chosen(one({ 'metadata.plan': 'pro' }))).toBe('rest');
});

test('the path of a proxied request can be asked for', async () => {
  expect(await chosen(one({ 'url.pathname': '/v1/rerank' }), { path: '/v1/rerank?x=1' })).toBe('first');
});

test('a pattern that explodes elsewhere takes no time here', async () => {
  const query = { 'params.text': { $regex: '^(a+)+$' } };
  expect(await chosen(one(query), { params: { text: `${'a'.repeat(50_000)}!` } })).toBe('rest');
});
