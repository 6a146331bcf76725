// The thread that works request logs out and writes them. Talks only to `log-thread.ts`.
import { parentPort, workerData } from 'node:worker_threads';
import { type Db, MongoClient } from 'mongodb';
import { createLogger } from '../lib/logger.ts';
import { connectionOptions } from '../storage/connection-options.ts';
import { createEventWriter, eventsIn } from '../storage/events/index.ts';
import type { FromLogThread, LogThreadData, ToLogThread } from './log-thread.ts';
import { createLogWriter } from './log-writer.ts';
import { createRequestLog } from './request-log.ts';
import { createRollupRepair } from './rollups/repair.ts';
import { createSpanExport } from './spans/span-export.ts';
import { createSpool } from './spool.ts';
import { createTrafficMetrics } from './traffic-metrics.ts';
import { logEvents } from './write-logs.ts';

if (!parentPort) throw new Error('This file runs as a worker thread.');
const port = parentPort;

const { uri, spoolDirectory, logLevel, traceCollector, ...settings } = workerData as LogThreadData;
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

port.on('message', async (message: ToLogThread) => {
  if ('drafts' in message) {
    for (const draft of message.drafts) requestLog.add(draft);
    await requestLog.drain();
    answer({ stored: message.drafts.length, counters: requestLog.counters });
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
});
