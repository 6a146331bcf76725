import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import { temporaryDirectory } from './support.ts';

/** A child process and the lines it prints. */
type Child = { process: ChildProcess; line(): Promise<string>; say(text: string): void };

const fixture = (name: string): string => new URL(`./fixtures/${name}.ts`, import.meta.url).pathname;

function start(name: string, ...args: string[]): Child {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fixture(name), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    line: async () => String((await lines.next()).value),
    say: (text) => child.stdin.write(`${text}\n`),
  };
}

let directory: { path: string; remove(): void };
let server: Child;
let uri: string;
let client: MongoClient;
let db: Db;
let children: Child[];

beforeEach(async () => {
  directory = temporaryDirectory();
  children = [];
  server = start('shared-server', directory.path);
  uri = await server.line();
  client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 1000 });
  db = client.db();
  await db.collection<Document>('counters').insertMany([
    { _id: 'n', n: 0 },
    { _id: 'pair', left: 0, right: 0 },
  ] as Document[]);
  await db.collection('unique').createIndex({ key: 1 }, { unique: true });
  await db.collection('written').createIndex({ key: 1 }, { unique: true });
  await db.collection('written').createIndex({ list: 1 });
  await db.collection('queue').insertMany(Array.from({ length: 300 }, (_, at) => ({ at, state: 'queued' })));
});

afterEach(async () => {
  await client.close();
  await Promise.all([server, ...children].map(({ process: child }) => end(child, 'SIGKILL')));
  directory.remove();
});

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

async function startClients(...tasks: string[]): Promise<Child[]> {
  const started = tasks.map((task) => start('shared-client', uri, task));
  children.push(...started);
  for (const child of started) expect(await child.line()).toBe('ready');
  return started;
}

async function share(clients: Child[]): Promise<{ taken: number[]; inserted: number }[]> {
  for (const child of clients) child.say('go');
  return Promise.all(clients.map(async (child) => JSON.parse(await child.line())));
}

test('three processes on one server count, draw jobs and insert keys together without losing or doubling any', async () => {
  const outcomes = await share(await startClients('share', 'share', 'share'));
  expect(await db.collection<Document>('counters').findOne({ _id: 'n' } as Document)).toEqual({
    _id: 'n',
    n: 600,
  });
  const taken = outcomes.flatMap((outcome) => outcome.taken);
  expect(taken.sort((left, right) => left - right)).toEqual(Array.from({ length: 300 }, (_, at) => at));
  expect(outcomes.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(100);
  expect(await db.collection('unique').countDocuments({ key: { $gte: 0 } })).toBe(100);
}, 120_000);

const openCursors = async (): Promise<number> => {
  const { metrics } = await db.command({ serverStatus: 1 });
  return metrics.cursor.open.total;
};

test('a process killed in the middle leaves no cursor and nothing half done, and the others go on', async () => {
  const [victim, ...others] = (await startClients('write', 'share', 'share')) as [Child, Child, Child];
  victim.say('go');
  expect(await victim.line()).toBe('writing');
  expect(await openCursors()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  victim.process.kill('SIGKILL');
  await once(victim.process, 'exit');
  const outcomes = await share(others);
  expect(outcomes.flatMap(({ taken }) => taken)).toHaveLength(300);
  const deadline = Date.now() + 20_000;
  while ((await openCursors()) > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await openCursors()).toBe(0);

  const pair = await db.collection<Document>('counters').findOne({ _id: 'pair' } as Document);
  expect(pair?.left).toBeGreaterThan(0);
  expect(pair?.left).toBe(pair?.right);
  const written = db.collection('written');
  const count = await written.estimatedDocumentCount();
  expect(count).toBeGreaterThan(0);
  for (const hint of ['_id_', 'key_1', 'list_1', { $natural: 1 as const }]) {
    expect(await written.find().hint(hint).toArray()).toHaveLength(count);
  }
}, 120_000);

/** The driver passes some errors of the socket on as they are. */
const networkError = /^(Mongo(Network|ServerSelection|PoolCleared)\w*|Error): .*(closed|EPIPE|ECONN|ENOENT)/;

test('a server that stops while clients are at work ends cleanly, and they get a network error at once', async () => {
  const clients = await startClients('write', 'write');
  for (const child of clients) child.say('go');
  for (const child of clients) expect(await child.line()).toBe('writing');
  expect(await end(server.process, 'SIGTERM')).toBe(0);
  for (const child of clients) {
    expect(JSON.parse(await child.line()).error).toMatch(networkError);
  }

  server = start('shared-server', directory.path);
  const reopened = await MongoClient.connect(await server.line());
  const pair = await reopened
    .db()
    .collection<Document>('counters')
    .findOne({ _id: 'pair' } as Document);
  expect(pair?.left).toBe(pair?.right);
  await reopened.close();
}, 120_000);
