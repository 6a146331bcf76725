// The thread that works request logs out and writes them. Talks only to `log-thread.ts`.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Db, MongoClient } from 'mongodb';
import { uuid } from '../../../lib/ids.ts';
import { createLogger } from '../../../lib/logger.ts';
import { connectionOptions } from '../../../storage/connection-options.ts';
import { createEventWriter, eventsIn } from '../../../storage/events/index.ts';
import { createSpool } from '../../queue/spool.ts';
import { createRollupRepair } from '../../rollups/repair.ts';
import { createSpanExport } from '../../spans/span-export.ts';
import { decodeDrafts } from '../codec/draft-codec.ts';
import type { ExchangeDraft } from '../draft.ts';
import { isMissing } from '../overflow/directories.ts';
import { openSealed } from '../overflow/sealed-file.ts';
import { createRequestLog } from '../request-log.ts';
import { createTrafficMetrics } from '../traffic-metrics.ts';
import { logEvents } from '../write-logs.ts';
import { createLogWriter } from '../writer.ts';
import type { FromLogThread, LogThreadData, ToLogThread } from './messages.ts';

if (!parentPort) throw new Error('This file runs as a worker thread.');
const port = parentPort;

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
/** Ids of the logs of the file that is being worked out. */
let inFile = new Set<string>();
/** False once one of them was given up: the file stays for the next process. */
let isFileDone = true;
const requestLog = createRequestLog({
  ...settings,
  observe(made) {
    for (const { record } of made) traffic.count(record);
    spans?.add(made);
  },
  write: async (entries) => {
    await writer.write(entries);
    logEvents(entries).forEach(events.append);
  },
  spool: createSpool(spoolDirectory, 'request-log'),
  isElsewhere(id) {
    const stays = inFile.has(id);
    isFileDone &&= !stays;
    return stays;
  },
  log,
});
requestLog.start();
repair.start();

type Work = Extract<ToLogThread, { work: number }>;

function take(bytes: Uint8Array): ExchangeDraft[] {
  const drafts = decodeDrafts(bytes);
  for (const draft of drafts) requestLog.add(draft);
  return drafts;
}

/** Answers how many drafts went into the queue. */
function takeChunk(bytes: Uint8Array): number {
  try {
    return take(bytes).length;
  } catch (error) {
    log.error({ error }, 'Request logs cannot be read.');
    return 0;
  }
}

/**
 * Never rejects; answers how many drafts it found. The file goes only when each of them is in the database or in the spool;
 * null for one that had to stay.
 */
async function takeFile(path: string): Promise<number | null> {
  inFile = new Set();
  isFileDone = true;
  let isDamaged = false;
  try {
    for await (const bytes of openSealed(path, overflowKey))
      for (const { record } of take(bytes)) inFile.add(record._id);
  } catch (error) {
    // Another process has taken it over.
    if (isMissing(error)) return inFile.size;
    log.error({ error, path }, 'Request logs on disk cannot be read to the end; the file is set aside.');
    isDamaged = true;
  }
  await requestLog.drain();
  if (!isFileDone) return null;
  const found = inFile.size;
  inFile = new Set();
  await settle(
    isDamaged ? rename(path, join(spoolDirectory, `damaged-${uuid()}`)) : rm(path, { force: true }),
  );
  return found;
}

/** Without it nothing is lost: a file that is read twice has the same records. */
async function settle(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.error({ error }, 'A file of request logs stays where it was.');
  }
}

let waiting: Work[] = [];

/** Everything that has come by now, so that much is written at once when much comes. */
async function workOut(): Promise<void> {
  const works = waiting;
  waiting = [];
  const found = new Map<number, number>();
  for (const work of works) {
    const drafts = 'path' in work ? await takeFile(work.path) : takeChunk(work.bytes);
    // Without an answer the file is given back.
    if (drafts !== null) found.set(work.work, drafts);
  }
  await requestLog.drain();
  for (const [worked, drafts] of found) answer({ worked, drafts, counters: requestLog.counters });
}

async function serve(message: Exclude<ToLogThread, Work>): Promise<void> {
  if ('drain' in message) {
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
  if ('work' in message) {
    waiting.push(message);
    serving = serving.then(workOut);
  } else if ('metrics' in message) void serve(message);
  else {
    // Whoever stops cannot wait for room on the disk.
    if ('stop' in message) requestLog.hurry();
    serving = serving.then(() => serve(message));
  }
});
answer({ ready: true });
