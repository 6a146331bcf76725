import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import type { Chunk } from '../codec/draft-codec.ts';
import { Abandoned, isMissing, isRemoved, leave } from './directories.ts';
import { type Batch, SealedQueue } from './sealed-queue.ts';

/** Drafts on disk: the process that handed them over keeps nothing of them. */
export type OverflowFile = {
  path: string;
  bytes: number;
  /** Null where another process has written it. */
  drafts: number | null;
  /** How often its taker has ended over it. */
  failures: number;
};

/**
 * Drafts that came faster than the thread could take them, on disk until it can. What one process leaves behind, the next
 * one of the same directory takes over.
 */
export type Overflow = {
  /** Drafts that wait here, without those that another process left behind. */
  readonly drafts: number;
  readonly isEmpty: boolean;
  /** How full the disk may be, as far as this process knows: 0 to 1. */
  readonly fullness: number;
  /** Milliseconds since something has been waiting here without a break; 0 when nothing is. */
  readonly age: number;
  /**
   * Does not wait for the disk, and needs the bytes no more when it returns. False when there is no room: while the disk takes
   * nothing, that is in memory.
   */
  append(chunk: Chunk): boolean;
  /** The oldest file, which from now on is the taker's; null when there is none or it is still being written. */
  take(): Promise<OverflowFile | null>;
  /** The oldest that waits in memory since the disk has refused it; null when there is none, or something older is on disk. */
  takeRefused(): Chunk | null;
  /** The taker has ended over it. */
  giveBack(file: OverflowFile): void;
  /** The taker is done with it and has removed it. */
  done(file: OverflowFile): void;
  start(): void;
  /** What is here stays for the next process; answers how many drafts were lost since the disk did not take them. */
  stop(): Promise<number>;
};

type Options = {
  /** Shared with other processes. */
  directory: string;
  /** 32 bytes, the same in all of them. */
  key: Uint8Array;
  log: Logger;
};

/** Bytes after which the next file is begun. */
const FILE_BYTES = 2 * 1024 * 1024;
/** Bytes on the way to the disk, or in memory while it refuses. */
const MEMORY_BYTES = 32 * 1024 * 1024;
const DISK_BYTES = 1024 * 1024 * 1024;
/** Milliseconds between signs of life, and between looks for what others left behind. */
const PULSE = 20_000;
/** Milliseconds for which a disk that refused is left alone. */
const REST = 5000;
/** Times that a taker may end over a file before it is left to the next process. */
const MOST_FAILURES = 3;

export function createOverflow({ directory, key, log }: Options): Overflow {
  const abandoned = new Abandoned(directory);
  const own = abandoned.newName();
  /** Directories whose files are ours: the one we write to, and those that we took over. */
  const directories = new Set<string>();
  const queue = new SealedQueue(key);
  let files: OverflowFile[] = [];
  let current: (OverflowFile & { drafts: number; handle: FileHandle }) | null = null;
  let writing: Promise<void> | null = null;
  let tidying: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let diskBytes = 0;
  let drafts = 0;
  let count = 0;
  let restUntil = 0;
  /** When the first came of those that wait now. */
  let since = 0;

  const isEmpty = (): boolean => files.length === 0 && queue.bytes === 0 && current === null;

  function begins(): void {
    if (isEmpty()) since = performance.now();
  }

  async function begin(): Promise<NonNullable<typeof current>> {
    const path = join(own, String(count++).padStart(6, '0'));
    // Tidied away meanwhile, the directory is made once more.
    const handle = await create(path).catch(() => create(path));
    directories.add(own);
    return { path, bytes: 0, drafts: 0, failures: 0, handle };
  }

  async function create(path: string): Promise<FileHandle> {
    await mkdir(own, { recursive: true, mode: 0o700 });
    return open(path, 'wx', 0o600);
  }

  async function finish(): Promise<void> {
    if (!current) return;
    const { handle, ...file } = current;
    current = null;
    if (file.drafts > 0) files.push(file);
    await handle.close();
    if (file.drafts === 0) await rm(file.path, { force: true });
  }

  async function write({ chunks, length, drafts }: Batch): Promise<void> {
    current ??= await begin();
    const { bytesWritten } = await current.handle.writev(chunks.flatMap(({ piece }) => piece.parts));
    if (bytesWritten < length) {
      // A disk that fills up takes the beginning. It would be left out when the file is read, and takes up room.
      await current.handle.truncate(current.bytes);
      throw new Error(`The disk took ${bytesWritten} of ${length} bytes.`);
    }
    current.bytes += length;
    current.drafts += drafts;
    diskBytes += length;
    if (current.bytes >= FILE_BYTES) await finish();
  }

  /** What the disk refused waits in memory, in its place. */
  async function refuse(batch: Batch, error: unknown): Promise<void> {
    log.warn({ error, records: batch.drafts }, 'The disk does not take request logs that have to wait.');
    restUntil = performance.now() + REST;
    queue.putBack(batch);
    await finishAnyway();
  }

  async function finishAnyway(): Promise<void> {
    try {
      await finish();
    } catch (error) {
      log.warn({ error }, 'A file of request logs was not closed.');
    }
  }

  const isResting = (): boolean => performance.now() < restUntil;

  function writeSoon(): void {
    if (!queue.isEmpty && !isResting()) writing ??= writeAll();
  }

  async function writeAll(): Promise<void> {
    while (!queue.isEmpty && !isResting()) {
      const batch = queue.next(FILE_BYTES);
      try {
        await write(batch);
        queue.done(batch);
      } catch (error) {
        await refuse(batch, error);
      }
    }
    writing = null;
  }

  /** Shows that we live, and looks for files of those who do not. */
  async function pulse(): Promise<void> {
    try {
      const now = new Date();
      for (const path of directories) {
        await utimes(path, now, now).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
          forget(path);
        });
      }
      for (const path of await abandoned.look(directories)) await adopt(path);
    } catch (error) {
      log.warn({ error }, 'The request logs that wait on disk cannot be looked after now.');
    }
  }

  /** Another process took us for dead and has what was there. */
  function forget(path: string): void {
    directories.delete(path);
    const gone = files.filter((file) => dirname(file.path) === path);
    files = files.filter((file) => !gone.includes(file));
    for (const file of gone) {
      drafts -= file.drafts ?? 0;
      diskBytes -= file.bytes;
    }
    if (path === own) void finishAnyway();
  }

  async function adopt(path: string): Promise<void> {
    const adopted = abandoned.newName();
    const now = new Date();
    try {
      // First the time, so that nobody takes it from us; of two that rename it one fails.
      await utimes(path, now, now);
      await rename(path, adopted);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    directories.add(adopted);
    begins();
    for (const name of (await readdir(adopted)).sort()) {
      const { size } = await stat(join(adopted, name));
      diskBytes += size;
      files.push({ path: join(adopted, name), bytes: size, drafts: null, failures: 0 });
    }
    log.info({ files: files.length }, 'Taking over request logs that another process left on disk.');
    tidy();
  }

  /** Who looks into the directory shall see whether anything waits. */
  function tidy(): void {
    tidying = tidying
      .then(async () => {
        if (!isEmpty()) return;
        for (const path of directories) if (await isRemoved(path)) directories.delete(path);
      })
      .catch((error: unknown) => log.warn({ error }, 'An empty directory of request logs stays.'));
  }

  return {
    get drafts() {
      return drafts;
    },
    get isEmpty() {
      return isEmpty();
    },
    get fullness() {
      return (diskBytes + queue.bytes) / DISK_BYTES;
    },
    get age() {
      return isEmpty() ? 0 : performance.now() - since;
    },
    append(chunk) {
      const { length } = chunk.bytes;
      if (queue.bytes + length > MEMORY_BYTES || diskBytes + queue.bytes + length > DISK_BYTES) return false;
      begins();
      queue.push(chunk);
      drafts += chunk.drafts;
      writeSoon();
      return true;
    },
    async take() {
      writeSoon();
      if (files.length === 0 && !writing) await finish();
      const file = files.shift() ?? null;
      drafts -= file?.drafts ?? 0;
      return file;
    },
    takeRefused() {
      if (files.length > 0 || writing || !isResting()) return null;
      const chunk = queue.shift();
      drafts -= chunk?.drafts ?? 0;
      if (isEmpty()) tidy();
      return chunk;
    },
    giveBack(file) {
      const failures = file.failures + 1;
      if (failures >= MOST_FAILURES) {
        log.error(
          { path: file.path },
          'Request logs on disk end the thread that reads them; they stay there.',
        );
        return;
      }
      begins();
      files.unshift({ ...file, failures });
      drafts += file.drafts ?? 0;
    },
    done({ bytes }) {
      diskBytes -= bytes;
      if (isEmpty()) tidy();
    },
    start() {
      void pulse();
      timer = setInterval(() => void pulse(), PULSE).unref();
    },
    async stop() {
      clearInterval(timer);
      await writing;
      restUntil = 0;
      writeSoon();
      await writing;
      await finishAnyway();
      // A tidying may have forgotten it in the moment in which it was made anew.
      directories.add(own);
      const lost = queue.next(Number.POSITIVE_INFINITY).drafts;
      tidy();
      await tidying;
      for (const path of directories) await leave(path, log);
      return lost;
    },
  };
}
