import type { Logger } from '../../lib/logger.ts';
import { ThreadError, ThreadLine } from '../../lib/threads/thread-line.ts';
import type { CheckInput, PreparedCheck } from '../check.ts';
import type { PlacedFinding } from '../engine/locally.ts';
import type { FoundSegment } from '../segments/index.ts';
import type { CheckCalls, FarFinding, LongExamination } from './messages.ts';

const THREADS = 2;
/** A body of the largest size as UTF-16, with its views, fits in. */
const HEAP_MB = 256;
const IDLE_MS = 60_000;
/** Texts that wait for a thread; further ones are an error of their check. */
const MOST_WAITING = 256;

type Job = {
  check: PreparedCheck;
  examination: LongExamination;
  signal: AbortSignal;
  resolve(found: FarFinding): void;
  reject(error: unknown): void;
};

/** What a check of long texts is told. */
type LongInput = Pick<CheckInput, 'phase' | 'signal'> & { segments: readonly FoundSegment[] };

/**
 * Threads on which checks read long texts, so that other requests do not wait for them. A thread runs one check at a time;
 * one that takes longer than the check may is ended, and starts anew with the next.
 */
export class CheckThreads {
  readonly #free: ThreadLine<CheckCalls>[];
  readonly #all: readonly ThreadLine<CheckCalls>[];
  readonly #waiting: Job[] = [];

  constructor(log: Logger) {
    const file = new URL('./check-thread.ts', import.meta.url);
    const options = { file, data: null, heapMb: HEAP_MB, idleMs: IDLE_MS, log };
    this.#all = Array.from(
      { length: THREADS },
      (_, index) => new ThreadLine<CheckCalls>({ ...options, name: `checks-${index}` }),
    );
    this.#free = [...this.#all];
  }

  /** Rejects with an Error for what the check itself throws, for its time, and where too many texts wait. */
  async run(check: PreparedCheck, { phase, segments, signal }: LongInput): Promise<PlacedFinding> {
    const { id } = check.check;
    const examination: LongExamination = { id, parameters: check.parameters, phase, segments };
    const { finding, edits } = await new Promise<FarFinding>((resolve, reject) =>
      this.#enqueue({ check, examination, signal, resolve, reject }),
    );
    return {
      finding,
      edits: edits.flatMap(({ segment: at, ...edit }) => {
        const segment = segments[at];
        return segment ? [{ ...edit, segment }] : [];
      }),
    };
  }

  async stop(): Promise<void> {
    for (const job of this.#waiting.splice(0)) job.reject(new Error('The gateway is stopping.'));
    await Promise.all(this.#all.map((line) => line.stop()));
  }

  #enqueue(job: Job): void {
    if (this.#waiting.length >= MOST_WAITING) {
      job.reject(named('Busy', `${MOST_WAITING} long texts wait to be checked.`));
      return;
    }
    this.#waiting.push(job);
    this.#next();
  }

  #next(): void {
    const line = this.#free.at(-1);
    if (!line) return;
    const job = this.#waiting.shift();
    if (!job) return;
    if (job.signal.aborted) {
      job.reject(named('AbortError', 'Nobody waits for the check any more.'));
      this.#next();
      return;
    }
    this.#free.pop();
    examineOn(line, job)
      .then(job.resolve, job.reject)
      .finally(() => {
        this.#free.push(line);
        this.#next();
      });
  }
}

async function examineOn(line: ThreadLine<CheckCalls>, { check, examination }: Job): Promise<FarFinding> {
  const { id, parameters } = examination;
  await line.ask('prepare', { id, parameters });
  const { timeoutMs } = check;
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(named('TimeoutError', `The check took more than ${timeoutMs} ms.`)),
    timeoutMs,
  );
  try {
    return await Promise.race([line.ask('examine', examination), over]);
  } catch (error) {
    if (error instanceof ThreadError) throw named(error.kind, error.message);
    // What it found no time for goes on until the thread is ended.
    await line.stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
