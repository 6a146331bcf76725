import { type ChildProcess, fork } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type Db, MongoClient } from 'mongodb';
import { Client } from '../../scripts/prove-mcp/client.ts';
import { type Seeds, serveThrough } from '../../scripts/prove-mcp/serve.ts';
import { startCountingServer } from '../../scripts/prove-mcp/upstream.ts';
import { uuid } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { LogBodiesPack, LogRecord } from '../../src/recording/log/record.ts';
import { createLogThread, type LogThread } from '../../src/recording/log/thread/log-thread.ts';
import { unpack } from '../../src/recording/log/write-logs.ts';
import { eventually } from '../support/eventually.ts';
import { type Line, startLine } from '../support/line.ts';
import { draftOf } from '../support/logs.ts';
import { rounds } from '../support/long.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

// Twelve rounds of waiting for a line that is cut: some minutes on a busy machine.
jest.setTimeout(900_000);

let directory: string;
let database: ChildProcess;
let databaseUri: string;
let client: MongoClient;
let db: Db;
let collector: TraceCollector;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-kills-'));
  database = fork(join(import.meta.dirname, '../support/database-process.ts'), [join(directory, 'db')], {
    execArgv: [],
  });
  databaseUri = await new Promise<string>((resolve) =>
    database.once('message', (message) => resolve(String(message))),
  );
  client = new MongoClient(databaseUri);
  db = client.db();
  collector = await startTraceCollector();
});
afterAll(async () => {
  await client.close();
  database.kill('SIGKILL');
  collector.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Records of these traces, once they are all there, each with its bodies. */
async function storedOf(traces: readonly string[]): Promise<LogRecord[]> {
  const logs = db.collection<LogRecord>('logs');
  const filter = { traceId: { $in: [...traces] } };
  await eventually(async () => expect(await logs.countDocuments(filter)).toBe(traces.length), 90_000);
  const records = await logs.find(filter).toArray();
  expect(records.map(({ traceId }) => traceId).toSorted()).toEqual(traces.toSorted());
  const packs = db.collection<LogBodiesPack>('log_bodies');
  for (const { _id, bodiesId } of records) {
    const pack = await packs.findOne({ _id: bodiesId ?? '' });
    expect(Object.keys(pack ? unpack(pack) : {})).toContain(_id);
  }
  return records;
}

describe('a process', () => {
  let data: string;
  let line: Line;
  let sluice: SluiceProcess;
  let keys: Seeds;

  const start = () =>
    startProcess(data, {
      MONGODB_URI: line.uri,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
  beforeAll(async () => {
    data = join(directory, 'data');
    line = await startLine(databaseUri);
    sluice = await start();
    keys = JSON.parse(await readFile(join(data, 'bootstrap.json'), 'utf8'));
  });
  afterEach(() => line.mend());
  afterAll(async () => {
    await sluice.kill('SIGTERM');
    line.stop();
  });

  async function chats(count: number): Promise<string[]> {
    const traces: string[] = [];
    for (let each = 0; each < count; each++) {
      const trace = uuid().replaceAll('-', '');
      const { status } = await fetch(`${sluice.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': keys.workspace_api_key,
          'x-gateway-trace-id': trace,
        },
        body: JSON.stringify({ model: '@mock/mock-1', messages: [{ role: 'user', content: `hi ${trace}` }] }),
      });
      expect(status).toBe(200);
      traces.push(trace);
    }
    return traces;
  }

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${sluice.url}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\d+)`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const told = () => metric('sluice_provider_requests_total');
  const nothingWaits = () =>
    eventually(async () => expect(await readdir(join(data, 'spool'))).toEqual([]), 60_000);

  test('tells metrics and spans of each call once, while the database is away too, and stores all when it is back', async () => {
    const traces = await chats(5);
    await storedOf(traces);
    const callsUntil = async (isDone: () => Promise<boolean>) => {
      while (!(await isDone())) {
        traces.push(...(await chats(2)));
        await sleep(100);
      }
    };
    line.cut();
    await callsUntil(async () => (await told()) > 20 && (await metric('sluice_request_log_spooled')) > 20);
    expect(await metric('sluice_request_log_written')).toBe(5);
    line.mend();
    // Traffic that never pauses does not keep the logs from a database that is back.
    await callsUntil(async () => (await metric('sluice_request_log_written')) > 20);
    await storedOf(traces);
    await nothingWaits();
    expect(await told()).toBe(traces.length);
    expect(await metric('sluice_request_log_written')).toBe(traces.length);
    expect(await metric('sluice_request_log_dropped')).toBe(0);
    const spans = () => collector.spans.map(({ traceId }) => traceId).filter((id) => traces.includes(id));
    await eventually(async () => expect(spans().length).toBeGreaterThanOrEqual(traces.length));
    expect(spans().toSorted()).toEqual(traces.toSorted());
  });

  test('that is killed while the database is away leaves each log to the next one', async () => {
    const traces = await chats(5);
    await storedOf(traces);
    line.cut();
    const before = await metric('sluice_request_log_spooled');
    traces.push(...(await chats(40)));
    await eventually(async () => {
      expect(await metric('sluice_request_log_spooled')).toBe(before + 40);
    }, 120_000);
    await sluice.kill('SIGKILL');
    line.mend();
    sluice = await start();
    await storedOf(traces);
    await nothingWaits();
  });

  test('that is killed as it answers has each answered call of a tool in the log', async () => {
    const upstream = await startCountingServer();
    try {
      await serveThrough(sluice.url, keys, 'counting', upstream.url);
      for (let kill = 0; kill < 3; kill++) {
        const client = new Client(`kill-${kill}`, sluice.url, keys.workspace_api_key);
        for (let call = 0; call < 5; call++) await client.call();
        await sluice.kill('SIGKILL');
        sluice = await start();
      }
      const answered = [0, 1, 2].flatMap((kill) => [1, 2, 3, 4, 5].map((call) => `kill-${kill}-${call}`));
      expect([...upstream.executed.keys()].toSorted()).toEqual(answered);
      await eventually(async () => {
        const rows = await db.collection('logs').find({ aiModel: 'counting/count' }).toArray();
        expect(rows.map(({ mcp }) => JSON.parse(mcp).requestId).toSorted()).toEqual(answered);
      }, 120_000);
    } finally {
      await upstream.stop();
    }
  });
});

describe('the thread', () => {
  let line: Line;
  let spool: string;
  let workers: Set<Worker>;
  const key = createSecretKey(randomBytes(32));
  let count = 0;

  beforeAll(async () => {
    line = await startLine(databaseUri);
    const { postMessage } = Worker.prototype;
    jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...given) {
      workers.add(this);
      return postMessage.apply(this, given);
    });
  });
  beforeEach(() => {
    workers = new Set();
    spool = join(directory, `spool-${count++}`);
  });
  afterAll(() => {
    line.stop();
    jest.restoreAllMocks();
  });

  const createThread = (): LogThread => {
    const thread = createLogThread(
      {
        ...{
          maskedHeaders: [],
          bodies: 'full',
          maxBodyBytes: 1000,
          retentionDays: 30,
          bodyRetentionDays: 30,
        },
        ...{ traceCollector: null, uri: line.uri, logLevel: 'silent' },
        spoolDirectory: spool,
        overflowKey: key,
      },
      createLogger('silent'),
      () => undefined,
    );
    thread.start();
    return thread;
  };
  const killThread = async () => {
    for (const worker of workers) await worker.terminate();
    workers.clear();
  };
  const add = (thread: LogThread, drafts: number, traces: string[]) => {
    const body = { bytes: Buffer.alloc(1000, 'x'), size: 1000 };
    for (let each = 0; each < drafts; each++) {
      const draft = draftOf({ requestBody: body });
      traces.push(draft.record.traceId);
      if (each % 3 === 0) void thread.keep(draft);
      else thread.add(draft);
    }
  };
  const stored = async (traces: string[]) =>
    db.collection('logs').countDocuments({ traceId: { $in: traces } });

  test('that is killed loses what was under way in memory alone, and counts it', async () => {
    const thread = createThread();
    const traces: string[] = [];
    add(thread, 12_000, traces);
    for (let kill = 0; kill < 2; kill++) {
      await sleep(300);
      await killThread();
    }
    await eventually(async () => expect(thread.counters.waiting).toBe(0), 90_000);
    const { dropped } = thread.counters;
    expect(dropped).toBeLessThan(4000);
    // What was lost may have been written just before.
    expect(await stored(traces)).toBeGreaterThanOrEqual(traces.length - dropped);
    await thread.stop();
    expect(await readdir(spool)).toEqual([]);
  });

  test('loses a draft that no database takes, and no other with it', async () => {
    const thread = createThread();
    const traces: string[] = [];
    add(thread, 10, traces);
    const bad = draftOf();
    thread.add({ ...bad, record: { ...bad.record, metadata: { 'no\0name': '1' } } });
    add(thread, 10, traces);
    await thread.drain();
    await storedOf(traces);
    expect(thread.counters).toMatchObject({ written: 20, dropped: 1, waiting: 0 });
    await thread.stop();
  });

  test('loses nothing, whatever fails when', async () => {
    const step = fc.record({
      drafts: fc.integer({ min: 0, max: 3000 }),
      line: fc.constantFrom('cut', 'mend'),
      isLastOfThread: fc.boolean(),
      milliseconds: fc.integer({ min: 0, max: 1500 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
        spool = join(directory, `spool-${count++}`);
        const traces: string[] = [];
        let thread = createThread();
        for (const { drafts, line: change, isLastOfThread, milliseconds } of steps) {
          line[change]();
          add(thread, drafts, traces);
          await sleep(milliseconds);
          if (!isLastOfThread) continue;
          await thread.stop();
          expect(thread.counters.dropped).toBe(0);
          thread = createThread();
        }
        line.mend();
        await eventually(async () => expect(await stored(traces)).toBe(traces.length), 90_000);
        await thread.drain();
        await thread.stop();
        expect(thread.counters.dropped).toBe(0);
        // Where nothing ever had to wait on disk, there is no directory.
        expect(existsSync(spool) ? await readdir(spool) : []).toEqual([]);
      }),
      { numRuns: rounds(2, 12), endOnFailure: true },
    );
  });
});
