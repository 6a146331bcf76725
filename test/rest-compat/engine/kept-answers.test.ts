import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openStorage, type Storage } from '../../../src/storage/connection.ts';
import { keptAnswerModel } from '../../../src/storage/kept-answers.ts';
import { createSecrets, type Secrets } from '../../../src/storage/secrets.ts';
import type { GraphContext } from '../../../src/subgraphs/context.ts';
import { smallContext, smallGraph, somebody } from '../../graph/small-graph.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { refusal } from './item-rest.ts';
import { smallRest } from './small-rest.ts';

let made = 0;
const graph = smallGraph({
  sdl: 'type Query { a: Int @authenticated } type Mutation { make(size: Int!): String @authenticated }',
  resolvers: {
    Query: { a: () => 1 },
    Mutation: {
      make: (_parent, { size }) => {
        made++;
        return 'x'.repeat(size);
      },
    },
  },
});
const document =
  'mutation make($size: Int!) @rest(method: POST, path: "/texts", on: [V1], status: 201) { make(size: $size) }';

let directory: string;
let database: TestDatabase;
let storage: Storage;
let secrets: Secrets;
let api: Awaited<ReturnType<typeof smallRest>>;
const context = smallContext();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-kept-'));
  database = testDatabase();
  storage = await openStorage({ dataDirectory: directory, mongodbUri: database.uri || null });
  secrets = createSecrets(randomBytes(32));
  api = await smallRest(graph, document, {
    createContext: (_principal, { method = '', headers, url = '' }): GraphContext => ({
      ...context,
      principal: somebody(),
      db: storage.db,
      secrets,
      memo: new Map(),
      request: { ...context.request, method, headers, path: '/v1/texts', query: url.split('?')[1] ?? '' },
    }),
  });
});
afterAll(async () => {
  await api.close();
  await storage.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const make = (size: number, key: string) =>
  api.call('POST', `/v1/texts?size=${size}`, { headers: { 'idempotency-key': key } });

it('an answer that is kept comes back with its status', async () => {
  expect(await make(10, 'small')).toMatchObject({ status: 201, body: 'x'.repeat(10) });
  expect(await make(10, 'small')).toMatchObject({ status: 201, body: 'x'.repeat(10) });
  expect(made).toBe(1);
});

it('an answer of more than a MiB is given but not kept, and the request still runs once', async () => {
  made = 0;
  const size = 1024 * 1024;
  expect((await make(size, 'large')).status).toBe(201);
  expect(await make(size, 'large')).toMatchObject(refusal(409, 'idempotency-key', 'AB07'));
  expect(made).toBe(1);
  const largest = await keptAnswerModel(storage.db).find().lean();
  expect(Math.max(...largest.map(({ sealed }) => sealed.length))).toBeLessThan(1000);
});

it('what was made is answered even where its answer cannot be kept, and the log says so', async () => {
  const { encrypt } = secrets;
  secrets.encrypt = () => {
    throw new Error('No keeping.');
  };
  try {
    expect((await make(1, 'lost')).status).toBe(201);
    expect(context.recorded.logged).toMatchObject([{ message: 'An idempotent answer could not be kept.' }]);
  } finally {
    secrets.encrypt = encrypt;
  }
});
