import { dirname } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';

/** A file of sealed drafts: the process that wrote them keeps nothing of them. */
export type OverflowFile = {
  path: string;
  bytes: number;
  /** Null where another process has written the file. */
  drafts: number | null;
  /** How often its taker has ended over it. */
  failures: number;
};

/** Times that a taker may end over a file before the file is left to the next process. */
const MOST_FAILURES = 3;

/** The files that wait for the thread, oldest first. */
export class WaitingFiles {
  #files: OverflowFile[] = [];
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  get bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  add(file: OverflowFile): void {
    this.#files.push(file);
  }

  take(): OverflowFile | null {
    return this.#files.shift() ?? null;
  }

  putFirst(file: OverflowFile): void {
    this.#files.unshift(file);
  }

  /** Whether a file, over which its taker has just ended once more, stays for the next process. */
  isFailedTooOften({ path, failures }: OverflowFile): boolean {
    if (failures + 1 < MOST_FAILURES) return false;
    this.#log.error({ path }, 'Request logs on disk end the thread that reads them; they stay there.');
    return true;
  }

  /** The directory belongs to another process now. Answers how many drafts of this process are in it. */
  forget(directory: string): number {
    const gone = this.#files.filter(({ path }) => dirname(path) === directory);
    this.#files = this.#files.filter((file) => !gone.includes(file));
    return gone.reduce((sum, { drafts }) => sum + (drafts ?? 0), 0);
  }
}
