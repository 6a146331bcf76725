import type { KeyObject } from 'node:crypto';
import type { Logger } from '../../../lib/logger.ts';
import type { Chunk } from '../codec/draft-codec.ts';
import { DiskQueue } from './disk-queue.ts';
import { FILE_BYTES, FileWriter } from './file-writer.ts';
import { OwnDirectories } from './own-directories.ts';
import { type OverflowFile, WaitingFiles } from './waiting-files.ts';
import { WriteAhead } from './write-ahead.ts';

type Options = {
  /** Shared with other processes. */
  directory: string;
  /** Of 32 bytes, the same in all of them. */
  key: KeyObject;
  log: Logger;
};

/** Time between two signs of life, and between two looks for what other processes left behind. */
const PULSE_MS = 20_000;

/**
 * Drafts that the thread or the database could not take yet, on disk until they can. A chunk goes by `DiskQueue` into a file,
 * which then waits (`WaitingFiles`) for the thread. What one process leaves behind, the next one of the same directory takes
 * over (`OwnDirectories`).
 */
export class Overflow {
  readonly #log: Logger;
  readonly #directories: OwnDirectories;
  readonly #files: WaitingFiles;
  readonly #writer: FileWriter;
  readonly #queue: DiskQueue;
  readonly #ahead: WriteAhead;
  /** Drafts that wait here, without those that another process left behind. */
  drafts = 0;
  #tidying: Promise<void> = Promise.resolve();
  #pulse: NodeJS.Timeout | undefined;
  /** When the first came of those that wait now. */
  #since = 0;

  constructor({ directory, key, log }: Options) {
    this.#log = log;
    this.#directories = new OwnDirectories(directory, log);
    this.#files = new WaitingFiles(log);
    this.#writer = new FileWriter(this.#directories, this.#files);
    this.#queue = new DiskQueue(key, this.#writer, log);
    this.#ahead = new WriteAhead(this.#directories, key, log);
  }

  get isEmpty(): boolean {
    return this.#files.isEmpty && this.#queue.isEmpty;
  }

  get bytes(): number {
    return this.#files.bytes + this.#queue.bytes;
  }

  /** Drafts that this process has written to disk. */
  get spooled(): number {
    return this.#writer.written;
  }

  /** Milliseconds since something has been waiting here without a break; 0 when nothing is. */
  get age(): number {
    return this.isEmpty ? 0 : performance.now() - this.#since;
  }

  /**
   * Does not wait for the disk, and needs the bytes no more when it returns. False when there is no room: while the disk takes
   * nothing, the room is in memory.
   */
  append(chunk: Chunk): boolean {
    this.#begins();
    if (!this.#queue.push(chunk)) return false;
    this.drafts += chunk.drafts;
    return true;
  }

  /** Has the system take a chunk before it returns. False, and nothing happened, where the disk refuses. */
  keep(chunk: Chunk): boolean {
    if (!this.#ahead.write(chunk)) return false;
    this.drafts += chunk.drafts;
    if (this.#ahead.bytes >= FILE_BYTES) this.#addKept(this.#ahead.finish());
    return true;
  }

  /** Milliseconds since the first of the chunks was kept that nobody has taken; 0 where there is none. */
  get keptAge(): number {
    return this.#ahead.age;
  }

  /** The file of the chunks that were kept last, which from now on is the taker's; null where there is none. */
  takeKept(): OverflowFile | null {
    const file = this.#ahead.finish();
    this.drafts -= file?.drafts ?? 0;
    return file;
  }

  /** Chunks that were kept wait like all others from now on. */
  putKept(): void {
    this.#addKept(this.#ahead.finish());
  }

  #addKept(file: OverflowFile | null): void {
    if (!file) return;
    this.#begins();
    this.#files.add(file);
  }

  /** The oldest file, which from now on is the taker's; null when there is none or it is still being written. */
  async take(): Promise<OverflowFile | null> {
    this.#queue.writeSoon();
    if (this.#files.isEmpty) await this.#queue.finishFile();
    const file = this.#files.take();
    this.drafts -= file?.drafts ?? 0;
    return file;
  }

  /** The oldest chunk that waits in memory since the disk refused it; null when there is none, or something older is on disk. */
  takeRefused(): Chunk | null {
    const chunk = this.#files.isEmpty ? this.#queue.shiftRefused() : null;
    this.drafts -= chunk?.drafts ?? 0;
    this.tidySoon();
    return chunk;
  }

  /** The file's taker leaves it to another time. */
  giveBack(file: OverflowFile): void {
    this.#begins();
    this.#files.putFirst(file);
    this.drafts += file.drafts ?? 0;
  }

  /** The file's taker has ended over it. */
  giveBackFailed(file: OverflowFile): void {
    if (!this.#files.isFailedTooOften(file)) this.giveBack({ ...file, failures: file.failures + 1 });
  }

  start(): void {
    void this.#lookAround();
    this.#pulse = setInterval(() => void this.#lookAround(), PULSE_MS).unref();
  }

  /** What is on disk stays for the next process; answers how many drafts were lost since the disk did not take them. */
  async stop(): Promise<number> {
    clearInterval(this.#pulse);
    this.putKept();
    const lost = await this.#queue.end();
    this.tidySoon();
    await this.#tidying;
    await this.#directories.leave();
    return lost;
  }

  /** Removes directories in which nothing waits: whoever looks shall see at once whether anything does. */
  tidySoon(): void {
    this.#tidying = this.#tidying
      .then(async () => {
        if (this.isEmpty) await this.#directories.removeEmpty();
      })
      .catch((error: unknown) => this.#log.warn({ error }, 'An empty directory of request logs stays.'));
  }

  #begins(): void {
    if (this.isEmpty) this.#since = performance.now();
  }

  /** Shows that this process lives, and looks for files of those that do not. */
  async #lookAround(): Promise<void> {
    try {
      await this.#directories.touch((path) => this.#forget(path));
      for await (const file of this.#directories.takeOver()) {
        this.#begins();
        this.#files.add({ ...file, drafts: null, failures: 0 });
      }
      this.tidySoon();
    } catch (error) {
      this.#log.warn({ error }, 'The request logs that wait on disk cannot be looked after now.');
    }
  }

  #forget(path: string): void {
    this.drafts -= this.#files.forget(path);
    if (path === this.#directories.own) void this.#queue.finishAnyway();
  }
}
