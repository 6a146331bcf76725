import type { OverflowFile } from '../overflow/waiting-files.ts';

/** What the thread has been given; `drafts`: null where another process has counted them. */
export type Work = { bytes: number; drafts: number | null; file: OverflowFile | null };

/** Bytes that may be under way to the thread; what comes on top waits on disk. */
const MOST_BYTES = 2 * 1024 * 1024;

/** What the thread has been given and has not answered for. */
export class UnderWay {
  readonly #works = new Map<number, Work>();
  #next = 0;
  bytes = 0;
  drafts = 0;

  hasRoom(bytes: number): boolean {
    return this.bytes + bytes <= MOST_BYTES;
  }

  /** Answers its number. */
  begin(work: Work): number {
    const number = this.#next++;
    this.#works.set(number, work);
    this.bytes += work.bytes;
    this.drafts += work.drafts ?? 0;
    return number;
  }

  end(number: number): Work | undefined {
    const work = this.#works.get(number);
    if (!work) return undefined;
    this.#works.delete(number);
    this.bytes -= work.bytes;
    this.drafts -= work.drafts ?? 0;
    return work;
  }

  /** Ends all, the latest first. */
  endAll(): Work[] {
    const works: Work[] = [];
    for (const number of [...this.#works.keys()].reverse()) works.push(this.end(number) as Work);
    return works;
  }
}
