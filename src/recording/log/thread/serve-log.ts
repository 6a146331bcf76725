import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { uuid } from '../../../lib/ids.ts';
import { createLogger } from '../../../lib/logger.ts';
import { createEventWriter, eventsIn } from '../../../storage/events/index.ts';
import { createRollupRepair } from '../../rollups/repair.ts';
import { createSpanExport } from '../../spans/span-export.ts';
import { markAsTold } from '../codec/draft-codec.ts';
import { openSealed } from '../overflow/sealed-file.ts';
import { createPrepare } from '../prepare.ts';
import { createTrafficMetrics } from '../traffic-metrics.ts';
import { logEvents } from '../write-logs.ts';
import { createLogWriter } from '../writer.ts';
import type { FromLogThread, LogThreadData, ToLogThread } from './messages.ts';
import { ownConnection } from './own-connection.ts';
import { Storing, type StoringOutcome } from './storing.ts';

type Work = Extract<ToLogThread, { work: number }>;
type ChunkWork = Extract<Work, { bytes: Uint8Array }>;
type FileWork = Extract<Work, { path: string }>;

/** Works request logs out and writes them, in a thread of its own. Talks only to `log-thread.ts`, at the other end of `port`. */
export function serveLog(port: MessagePort, data: LogThreadData): void {
  const { database, close } = ownConnection(data.uri);
  const log = createLogger(data.logLevel);
  const answer = (message: FromLogThread, moved: ArrayBuffer[] = []) => port.postMessage(message, moved);

  const events = createEventWriter({
    batches: async () => eventsIn(await database()),
    onAppended: () => answer({ appended: true }),
    log,
  });
  const writer = createLogWriter({ database, log });
  const repair = createRollupRepair({ database, log });
  const spans =
    data.traceCollector &&
    createSpanExport(data.traceCollector, log, (counters) => answer({ spans: counters }));
  const traffic = createTrafficMetrics();
  const storing = new Storing({
    prepare: createPrepare(data),
    observe(made) {
      for (const { record } of made) traffic.count(record);
      spans?.add(made);
    },
    async write(entries) {
      await writer.write(entries);
      logEvents(entries).forEach(events.append);
    },
    log,
  });
  repair.start();

  const answerFor = (worked: number[], { written, lost, isDamaged }: StoringOutcome) =>
    answer({ worked, written, lost, isDamaged });

  async function takeChunks(works: ChunkWork[]): Promise<void> {
    const numbers = works.map(({ work }) => work);
    const chunks = works.map(({ bytes }) => bytes);
    const isAway = works.some((work) => work.isAway);
    const outcome = await storing.store(chunks, { isAway });
    if (outcome.isTaken) {
      answerFor(numbers, outcome);
      return;
    }
    chunks.slice(0, outcome.told).forEach(markAsTold);
    answer(
      { refused: numbers, chunks, wasAsked: !isAway },
      chunks.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }

  /** How far metrics and spans know of the file that the database refused last: the next that comes is the same. */
  let told = { path: '', chunks: 0 };

  /** The file goes only when each log of it is in the database. */
  async function takeFile({ work, path }: FileWork): Promise<void> {
    const before = told.path === path ? told.chunks : 0;
    const outcome = await storing.store(openSealed(path, data.overflowKey), { told: before });
    if (!outcome.isTaken) {
      told = { path, chunks: Math.max(before, outcome.told) };
      answer({ refused: [work], chunks: [], wasAsked: true });
      return;
    }
    await settle(
      outcome.isDamaged
        ? rename(path, join(data.spoolDirectory, `damaged-${uuid()}`))
        : rm(path, { force: true }),
    );
    answerFor([work], outcome);
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
    const chunks = works.filter((work) => 'bytes' in work);
    if (chunks.length > 0) await takeChunks(chunks);
    for (const work of works) if ('path' in work) await takeFile(work);
  }

  async function serve(message: Exclude<ToLogThread, Work>): Promise<void> {
    if ('drain' in message) {
      await writer.settle();
      answer({ done: message.drain });
    } else if ('metrics' in message) {
      answer({ metrics: message.metrics, values: await traffic.read() });
    } else {
      await spans?.stop();
      await writer.stop();
      await repair.stop();
      await events.stop();
      await close();
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
    else serving = serving.then(() => serve(message));
  });
  answer({ ready: true });
}
