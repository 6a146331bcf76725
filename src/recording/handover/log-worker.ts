// The thread that works request logs out and writes them. Talks only to `log-thread.ts`.
import { rename, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Db, MongoClient } from 'mongodb';
import { uuid } from '../../lib/ids.ts';
import { createLogger } from '../../lib/logger.ts';
import { connectionOptions } from '../../storage/connection-options.ts';
import { createEventWriter, eventsIn } from '../../storage/events/index.ts';
import { createLogWriter } from '../log-writer.ts';
import { createRequestLog } from '../request-log.ts';
import { createRollupRepair } from '../rollups/repair.ts';
import { createSpanExport } from '../spans/span-export.ts';
import { createSpool } from '../spool.ts';
import { createTrafficMetrics } from '../traffic-metrics.ts';
import { logEvents } from '../write-logs.ts';
import { decodeDrafts } from './draft-codec.ts';
import type { FromLogThread, LogThreadData, ToLogThread } from './log-thread.ts';
import { openSealed } from './sealed-file.ts';

/** Of Linux: 0 is usual, 19 the lowest; each step is a tenth less of the processor when others want it. */
const PRIORITY = 19;

if (!parentPort) throw new Error('This file runs as a worker thread.');
const port = parentPort;

// Requests come first. Elsewhere a thread has no priority of its own, and this would be the whole process's.
if (process.platform === 'linux') setPriority(PRIORITY);

const { uri, spoolDirectory, overflowKey, logLevel, traceCollector, ...settings } =
  workerData as LogThreadData;
let client: MongoClient | null = null;
let connecting: Promise<MongoClient> | null = null;

/** Connects with the first use. A client whose first connection failed is of no use any more, so the next try makes another. */
async function database(): Promise<Db> {
  connecting ??= new MongoClient(uri, connectionOptions).connect();
  try {
    client = await connecting;
  } catch (error) {
    connecting = null;
    throw error;
  }
  return client.db();
}

const log = createLogger(logLevel);
const answer = (message: FromLogThread) => port.postMessage(message);

const events = createEventWriter({
  batches: async () => eventsIn(await database()),
  onAppended: () => answer({ appended: true }),
  log,
});
const writer = createLogWriter({ database, log });
const repair = createRollupRepair({ database, log });
const spans =
  traceCollector && createSpanExport(traceCollector, log, (counters) => answer({ spans: counters }));
const traffic = createTrafficMetrics();
const requestLog = createRequestLog({
  ...settings,
  observe(records) {
    records.forEach(traffic.count);
    spans?.add(records);
  },
  write: async (entries) => {
    await writer.write(entries);
    logEvents(entries).forEach(events.append);
  },
  spool: createSpool(spoolDirectory, 'request-log'),
  log,
});
requestLog.start();
repair.start();

/** Works drafts out until they are durable. */
async function workOut(bytes: Uint8Array): Promise<void> {
  for (const draft of decodeDrafts(bytes)) requestLog.add(draft);
  await requestLog.drain();
}

/** What cannot be read is set aside for a human, not thrown away. */
async function workOutFile(path: string): Promise<void> {
  try {
    for await (const bytes of openSealed(path, overflowKey)) await workOut(bytes);
    await rm(path);
  } catch (error) {
    log.error({ error, path }, 'Request logs on disk cannot be read; the file is set aside.');
    await rename(path, join(spoolDirectory, `damaged-${uuid()}`));
  }
}

async function serve(message: ToLogThread): Promise<void> {
  if ('work' in message) {
    await ('path' in message ? workOutFile(message.path) : workOut(message.bytes));
    answer({ worked: message.work, counters: requestLog.counters });
  } else if ('drain' in message) {
    await requestLog.drain();
    await writer.settle();
    answer({ done: message.drain });
  } else if ('metrics' in message) {
    answer({ metrics: message.metrics, values: await traffic.read() });
  } else {
    await requestLog.stop();
    await spans?.stop();
    await writer.stop();
    await repair.stop();
    await events.stop();
    await client?.close();
    port.close();
  }
}

let serving: Promise<void> = Promise.resolve();
// One after the other, in the order in which they came; a look at the metrics need not wait.
port.on('message', (message: ToLogThread) => {
  if ('metrics' in message) void serve(message);
  else serving = serving.then(() => serve(message));
});
