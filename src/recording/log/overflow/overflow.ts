import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import type { Chunk } from '../codec/draft-codec.ts';
import { FILE_BYTES, FileWriter } from './file-writer.ts';
import { OwnDirectories } from './own-directories.ts';
import { type Batch, SealedQueue } from './sealed-queue.ts';
import { type OverflowFile, WaitingFiles } from './waiting-files.ts';

type Options = {
  /** Shared with other processes. */
  directory: string;
  /** 32 bytes, the same in all of them. */
  key: Uint8Array;
  log: Logger;
};

/** Bytes on the way to the disk, or in memory while it refuses. */
const MEMORY_BYTES = 32 * 1024 * 1024;
const DISK_BYTES = 1024 * 1024 * 1024;
/** Time between two signs of life, and between two looks for what other processes left behind. */
const PULSE_MS = 20_000;
/** For how long a disk that refused is left alone. */
const REST_MS = 5000;

/**
 * Drafts that came faster than the thread could take them, on disk until it can. A chunk goes from memory (`SealedQueue`) by
 * `FileWriter` into a file, which then waits (`WaitingFiles`) for the thread. What one process leaves behind, the next one
 * of the same directory takes over (`OwnDirectories`).
 */
export class Overflow {
  readonly #log: Logger;
  readonly #queue: SealedQueue;
  readonly #directories: OwnDirectories;
  readonly #files: WaitingFiles;
  readonly #writer: FileWriter;
  /** Drafts that wait here, without those that another process left behind. */
  drafts = 0;
  #writing: Promise<void> | null = null;
  #tidying: Promise<void> = Promise.resolve();
  #pulse: NodeJS.Timeout | undefined;
  #restUntil = 0;
  /** When the first came of those that wait now. */
  #since = 0;

  constructor({ directory, key, log }: Options) {
    this.#log = log;
    this.#queue = new SealedQueue(key);
    this.#directories = new OwnDirectories(directory, log);
    this.#files = new WaitingFiles(log);
    this.#writer = new FileWriter(this.#directories, this.#files);
  }

  get isEmpty(): boolean {
    return this.#files.isEmpty && this.#queue.bytes === 0 && !this.#writer.isOpen;
  }

  /** How full the disk may be, as far as this process knows: 0 to 1. */
  get fullness(): number {
    return this.#bytes / DISK_BYTES;
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
    const { length } = chunk.bytes;
    if (this.#queue.bytes + length > MEMORY_BYTES || this.#bytes + length > DISK_BYTES) return false;
    this.#begins();
    this.#queue.push(chunk);
    this.drafts += chunk.drafts;
    this.#writeSoon();
    return true;
  }

  /** The oldest file, which from now on is the taker's; null when there is none or it is still being written. */
  async take(): Promise<OverflowFile | null> {
    this.#writeSoon();
    if (this.#files.isEmpty && !this.#writing) await this.#writer.finish();
    const file = this.#files.take();
    this.drafts -= file?.drafts ?? 0;
    return file;
  }

  /** The oldest chunk that waits in memory since the disk refused it; null when there is none, or something older is on disk. */
  takeRefused(): Chunk | null {
    if (!this.#files.isEmpty || this.#writing || !this.#isResting) return null;
    const chunk = this.#queue.shift();
    this.drafts -= chunk?.drafts ?? 0;
    this.#tidySoon();
    return chunk;
  }

  /** The file's taker has ended over it. */
  giveBack(file: OverflowFile): void {
    this.#begins();
    if (this.#files.giveBack(file)) this.drafts += file.drafts ?? 0;
  }

  /** The file's taker is done with it and has removed it. */
  done({ bytes }: OverflowFile): void {
    this.#files.bytes -= bytes;
    this.#tidySoon();
  }

  start(): void {
    void this.#lookAround();
    this.#pulse = setInterval(() => void this.#lookAround(), PULSE_MS).unref();
  }

  /** What is on disk stays for the next process; answers how many drafts were lost since the disk did not take them. */
  async stop(): Promise<number> {
    clearInterval(this.#pulse);
    await this.#writing;
    this.#restUntil = 0;
    this.#writeSoon();
    await this.#writing;
    await this.#finishAnyway();
    const lost = this.#queue.next(Number.POSITIVE_INFINITY).drafts;
    this.#tidySoon();
    await this.#tidying;
    await this.#directories.leave();
    return lost;
  }

  get #bytes(): number {
    return this.#files.bytes + this.#queue.bytes;
  }

  get #isResting(): boolean {
    return performance.now() < this.#restUntil;
  }

  #begins(): void {
    if (this.isEmpty) this.#since = performance.now();
  }

  #writeSoon(): void {
    if (!this.#queue.isEmpty && !this.#isResting) this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (!this.#queue.isEmpty && !this.#isResting) {
      const batch = this.#queue.next(FILE_BYTES);
      try {
        await this.#writer.write(batch);
        this.#queue.done(batch);
      } catch (error) {
        await this.#refuse(batch, error);
      }
    }
    this.#writing = null;
  }

  /** What the disk refused waits in memory, in its place. */
  async #refuse(batch: Batch, error: unknown): Promise<void> {
    this.#log.warn(
      { error, records: batch.drafts },
      'The disk does not take request logs that have to wait.',
    );
    this.#restUntil = performance.now() + REST_MS;
    this.#queue.putBack(batch);
    await this.#finishAnyway();
  }

  async #finishAnyway(): Promise<void> {
    try {
      await this.#writer.finish();
    } catch (error) {
      this.#log.warn({ error }, 'A file of request logs was not closed.');
    }
  }

  /** Shows that this process lives, and looks for files of those that do not. */
  async #lookAround(): Promise<void> {
    try {
      await this.#directories.touch((path) => this.#forget(path));
      for await (const path of this.#directories.takeOver()) await this.#addFilesOf(path);
    } catch (error) {
      this.#log.warn({ error }, 'The request logs that wait on disk cannot be looked after now.');
    }
  }

  #forget(path: string): void {
    this.drafts -= this.#files.forget(path);
    if (path === this.#directories.own) void this.#finishAnyway();
  }

  async #addFilesOf(directory: string): Promise<void> {
    this.#begins();
    const names = (await readdir(directory)).sort();
    for (const name of names) {
      const path = join(directory, name);
      const { size } = await stat(path);
      this.#files.bytes += size;
      this.#files.add({ path, bytes: size, drafts: null, failures: 0 });
    }
    this.#log.info({ files: names.length }, 'Taking over request logs that another process left on disk.');
    this.#tidySoon();
  }

  /** Removes directories in which nothing waits: whoever looks shall see at once whether anything does. */
  #tidySoon(): void {
    this.#tidying = this.#tidying
      .then(async () => {
        if (this.isEmpty) await this.#directories.removeEmpty();
      })
      .catch((error: unknown) => this.#log.warn({ error }, 'An empty directory of request logs stays.'));
  }
}
