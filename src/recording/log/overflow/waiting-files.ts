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
  /** Bytes on disk, those of files included that the thread has taken and is not done with. */
  bytes = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  add(file: OverflowFile): void {
    this.#files.push(file);
  }

  take(): OverflowFile | null {
    return this.#files.shift() ?? null;
  }

  /** The file's taker has ended over it. False where that happened too often: the file then stays for the next process. */
  giveBack(file: OverflowFile): boolean {
    const failures = file.failures + 1;
    if (failures >= MOST_FAILURES) {
      this.#log.error(
        { path: file.path },
        'Request logs on disk end the thread that reads them; they stay there.',
      );
      return false;
    }
    this.#files.unshift({ ...file, failures });
    return true;
  }

  /** The directory belongs to another process now. Answers how many drafts of this process are in it. */
  forget(directory: string): number {
    const isGone = ({ path }: OverflowFile) => dirname(path) === directory;
    let gone = 0;
    for (const { drafts, bytes } of this.#files.filter(isGone)) {
      gone += drafts ?? 0;
      this.bytes -= bytes;
    }
    this.#files = this.#files.filter((file) => !isGone(file));
    return gone;
  }
}
