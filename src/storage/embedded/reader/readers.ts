import { Worker } from 'node:worker_threads';
import { threadLimits } from '../../../lib/threads/thread-limits.ts';
import { decode } from '../bson/decode.ts';
import { arrayOfDocuments, findElement } from '../bson/raw.ts';
import { laneOf } from '../cursors.ts';
import { asCommandError, CommandError } from '../errors.ts';
import type { StoreOptions } from '../store/options.ts';
import { asNumber, type Document } from '../value/types.ts';
import { frameCommand } from '../wire.ts';
import {
  ping,
  type ReaderCancel,
  type ReaderData,
  type ReaderJob,
  type ReaderPulse,
  type ReaderReply,
} from './messages.ts';

type Waiting = { resolve: (reply: Buffer) => void; reject: (error: unknown) => void };
type Thread = {
  worker: Worker;
  waiting: Map<number, Waiting>;
  ended: Promise<void>;
  lastHeard: number;
  lastNeeded: number;
};

/** Threads that read the same file. Two, so that one statement which cannot pause does not hold up all others. */
const threads = 2;
/** The heap of a reader, in megabytes; one that needs more is ended, and the service goes on. */
const largestHeap = 512;

/** Milliseconds between two questions whether a reader is alive, and after how many without an answer it is ended. */
const pingInterval = 5_000;
const longestSilence = 60_000;

/** Runs long reading statements beside the writer's thread, in threads that are started when they are first needed. */
export class Readers {
  readonly #path: string;
  readonly #options: StoreOptions;
  readonly #catalogue: { readonly version: number };
  readonly #threads = new Map<number, Thread>();
  /** What was ended for idleness and is not gone yet. */
  readonly #leaving = new Set<Thread>();
  readonly #watchdog: NodeJS.Timeout;
  #nextId = 1;
  #closed = false;

  constructor(path: string, options: StoreOptions, catalogue: { readonly version: number }) {
    this.#path = path;
    this.#options = options;
    this.#catalogue = catalogue;
    const interval = Math.min(pingInterval, options.readerIdleLimit);
    this.#watchdog = setInterval(() => this.#watch(), interval).unref();
  }

  /** Ends a reader that is stuck in one step, for instance in a regular expression that explodes. */
  #watch(): void {
    for (const thread of this.#threads.values()) {
      if (thread.waiting.size === 0) thread.lastHeard = performance.now();
      else if (performance.now() - thread.lastHeard > longestSilence) void thread.worker.terminate();
      thread.worker.postMessage(ping);
    }
  }

  /** A reader that works, or that clients still read from, stays; what it does not know is what is under way to it. */
  #hear(lane: number, thread: Thread, { cursors }: ReaderPulse): void {
    thread.lastHeard = performance.now();
    if (cursors > 0 || thread.waiting.size > 0) thread.lastNeeded = thread.lastHeard;
    else if (thread.lastHeard - thread.lastNeeded > this.#options.readerIdleLimit) this.#end(lane, thread);
  }

  #end(lane: number, thread: Thread): void {
    this.#threads.delete(lane);
    this.#leaving.add(thread);
    void thread.ended.then(() => this.#leaving.delete(thread));
    thread.worker.postMessage('stop');
  }

  /** How many commands the readers are at work on. */
  get active(): number {
    return [...this.#threads.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  /** True when cursors of this lane are a reader's. */
  has(lane: number): boolean {
    return lane >= 1 && lane <= threads;
  }

  /** Runs a command, given as the bytes of its message, in the reader that has the least to do. */
  run(bytes: Uint8Array, client: AbortSignal): Promise<Buffer> {
    const load = (lane: number): number => this.#threads.get(lane)?.waiting.size ?? 0.5;
    let best = 1;
    for (let lane = 2; lane <= threads; lane++) if (load(lane) < load(best)) best = lane;
    return this.send(best, bytes, client);
  }

  /** Runs a command in one certain reader: the one that has the cursor it speaks of. */
  send(lane: number, bytes: Uint8Array, client: AbortSignal): Promise<Buffer> {
    if (this.#closed) return Promise.reject(new CommandError(11600, 'the server is stopping'));
    const thread = this.#threads.get(lane) ?? this.#start(lane);
    // A copy of its own can change hands instead of being copied once more.
    const own = new Uint8Array(bytes);
    const job: ReaderJob = { id: this.#nextId++, version: this.#catalogue.version, bytes: own };
    const cancel = (): void => {
      const message: ReaderCancel = { cancelled: job.id };
      thread.worker.postMessage(message);
    };
    client.addEventListener('abort', cancel);
    thread.lastNeeded = performance.now();
    return new Promise<Buffer>((resolve, reject) => {
      thread.waiting.set(job.id, { resolve, reject });
      thread.worker.postMessage(job, [own.buffer]);
    }).finally(() => client.removeEventListener('abort', cancel));
  }

  /** The documents that a reading command yields, batch by batch as they are asked for. */
  async *documents(
    database: string,
    command: Document,
    client: AbortSignal,
    batchSize?: number,
  ): AsyncGenerator<Buffer[]> {
    const opening = frameCommand({ ...command, $db: database });
    const first = readBatch(await this.run(opening, client), 'firstBatch');
    let { id } = first;
    try {
      yield first.documents;
      while (id !== 0n) {
        const more = { getMore: id, collection: first.collection, batchSize, $db: database };
        const next = readBatch(await this.send(laneOf(id), frameCommand(more), client), 'nextBatch');
        id = next.id;
        yield next.documents;
      }
    } finally {
      if (id !== 0n) {
        const kill = { killCursors: first.collection, cursors: [id], $db: database };
        await this.send(laneOf(id), frameCommand(kill), client);
      }
    }
  }

  /** Ends the readers; one that is in the middle of something that cannot pause gets a second. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watchdog);
    await Promise.all(
      [...this.#threads.values(), ...this.#leaving].map(async ({ worker, ended }) => {
        const impatience = setTimeout(() => worker.terminate(), 1000);
        worker.postMessage('stop');
        await ended;
        clearTimeout(impatience);
      }),
    );
  }

  #start(lane: number): Thread {
    const data: ReaderData = { path: this.#path, lane, options: this.#options };
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: `embedded-reader-${lane}`,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: threadLimits({ maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: largestHeap }),
      workerData: data,
    });
    const waiting = new Map<number, Waiting>();
    let cause: unknown;
    worker.on('message', (message: ReaderReply | ReaderPulse) => {
      if ('cursors' in message) {
        this.#hear(lane, thread, message);
        return;
      }
      thread.lastHeard = performance.now();
      thread.lastNeeded = thread.lastHeard;
      const { id, bytes, failed } = message;
      const reply = Buffer.from(bytes.buffer);
      const { resolve, reject } = waiting.get(id) as Waiting;
      waiting.delete(id);
      if (failed) reject(readError(reply));
      else resolve(reply);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        // Whatever ended it (most likely a statement that took too much memory), the next statement gets a new one.
        if (this.#threads.get(lane)?.worker === worker) this.#threads.delete(lane);
        const reason = cause === undefined ? 'its thread was ended' : asCommandError(cause).message;
        for (const { reject } of waiting.values()) {
          reject(new CommandError(11601, `operation was interrupted: ${reason}`));
        }
        resolve();
      });
    });
    const now = performance.now();
    const thread: Thread = { worker, waiting, ended, lastHeard: now, lastNeeded: now };
    this.#threads.set(lane, thread);
    return thread;
  }
}

/** The error that a reader answered with, as it was thrown there. */
function readError(reply: Buffer): CommandError {
  const { code, errmsg, ok, codeName, ...detail } = decode(reply);
  return new CommandError(asNumber(code) ?? 1, String(errmsg), detail);
}

/** Takes a cursor reply apart without decoding its documents. */
function readBatch(reply: Buffer, name: string): { id: bigint; collection: string; documents: Buffer[] } {
  const outer = findElement(reply, 'cursor');
  if (!outer) throw new RangeError('a reader answered without a cursor');
  const cursor = reply.subarray(outer.valueAt, outer.end);
  const batch = findElement(cursor, name);
  const { id, ns } = decode(cursor, new Set(['id', 'ns']));
  return {
    id: id as bigint,
    collection: String(ns).split('.').slice(1).join('.'),
    documents: batch ? arrayOfDocuments(cursor.subarray(batch.valueAt, batch.end)) : [],
  };
}
