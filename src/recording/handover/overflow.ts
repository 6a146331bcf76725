import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rmdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import type { Chunk } from './draft-codec.ts';
import { createSealer } from './sealed-file.ts';

/** Drafts on disk: the process that handed them over keeps nothing of them. */
export type OverflowFile = { path: string; bytes: number; drafts: number };

/**
 * Drafts that came faster than the thread could take them, on disk until it can. What one process leaves behind, the next
 * one of the same directory takes over.
 */
export type Overflow = {
  /** Drafts that wait here; of those that another process left behind the number is not known. */
  readonly drafts: number;
  readonly isEmpty: boolean;
  /** How full the disk may be, as far as this process knows: 0 to 1. */
  readonly fullness: number;
  /** Milliseconds that the oldest draft has waited, on the clock of `performance.now()`; 0 when there is none. */
  readonly age: number;
  /** Drafts that the disk did not take. */
  readonly lost: number;
  /** Does not wait for the disk. False when there is no room. */
  append(chunk: Chunk): boolean;
  /** The oldest file, which from now on is the taker's; null when there is none or it is still being written. */
  take(): Promise<OverflowFile | null>;
  /** The taker could do nothing with it. */
  giveBack(file: OverflowFile): void;
  /** The taker is done with it and has removed it. */
  done(file: OverflowFile): void;
  start(): void;
  /** What is here stays for the next process. */
  stop(): Promise<void>;
};

/** Bytes after which the next file is begun. */
const FILE_BYTES = 2 * 1024 * 1024;
/** Bytes on the way to the disk. */
const MEMORY_BYTES = 32 * 1024 * 1024;
const DISK_BYTES = 1024 * 1024 * 1024;
/** Milliseconds between signs of life, and between looks for what others left behind. */
const PULSE = 20_000;
/** Milliseconds without a sign of life after which a directory is abandoned. */
const ABANDONED = 6 * PULSE;

const PREFIX = 'overflow-';

/** `key`: 32 bytes, the same in all processes that share `directory`. */
export function createOverflow(directory: string, key: Uint8Array, log: Logger): Overflow {
  const seal = createSealer(key);
  const files: OverflowFile[] = [];
  const queue: Chunk[] = [];
  /** Directories whose files are ours: the one we write to, and those that we took over. */
  const directories: string[] = [];
  const own = join(directory, `${PREFIX}${randomUUID()}`);
  let current: (OverflowFile & { handle: FileHandle }) | null = null;
  let writing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let queuedBytes = 0;
  let diskBytes = 0;
  let drafts = 0;
  let count = 0;
  let lost = 0;
  /** When the first came of those that wait now. */
  let since = 0;

  const isEmpty = (): boolean => files.length === 0 && queue.length === 0 && current === null;

  async function begin(): Promise<NonNullable<typeof current>> {
    if (!directories.includes(own)) {
      await mkdir(own, { recursive: true, mode: 0o700 });
      directories.push(own);
    }
    const path = join(own, String(count++).padStart(6, '0'));
    return { path, bytes: 0, drafts: 0, handle: await open(path, 'wx', 0o600) };
  }

  async function finish(): Promise<void> {
    if (!current) return;
    const { handle, ...file } = current;
    current = null;
    if (file.drafts > 0) files.push(file);
    await handle.close();
  }

  async function writeOne({ bytes, drafts: written }: Chunk): Promise<void> {
    try {
      current ??= await begin();
      const sealed = await seal(bytes);
      await current.handle.writev(sealed);
      const length = sealed.reduce((sum, piece) => sum + piece.length, 0);
      current.bytes += length;
      current.drafts += written;
      diskBytes += length;
      if (current.bytes >= FILE_BYTES) await finish();
    } catch (error) {
      lost += written;
      drafts -= written;
      log.error({ error, records: written }, 'Request logs were lost: the disk did not take them.');
      await finish().catch((cause: unknown) =>
        log.warn({ error: cause }, 'A file of request logs was not closed.'),
      );
    }
  }

  async function write(): Promise<void> {
    for (let chunk = queue[0]; chunk; chunk = queue[0]) {
      await writeOne(chunk);
      queue.shift();
      queuedBytes -= chunk.bytes.length;
    }
  }

  /** Shows that we live, and looks for files of those who do not. */
  async function pulse(): Promise<void> {
    try {
      const now = new Date();
      for (const path of directories) await utimes(path, now, now);
      for (const path of await abandoned(directory, directories)) await adopt(path);
    } catch (error) {
      log.warn({ error }, 'The overflow of the request log cannot be looked after now.');
    }
  }

  async function adopt(path: string): Promise<void> {
    const adopted = join(directory, `${PREFIX}${randomUUID()}`);
    const now = new Date();
    try {
      // First the time, so that nobody takes it from us; of two that rename it one fails.
      await utimes(path, now, now);
      await rename(path, adopted);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    directories.push(adopted);
    for (const name of (await readdir(adopted)).sort()) {
      const file = { path: join(adopted, name), bytes: (await stat(join(adopted, name))).size, drafts: 0 };
      diskBytes += file.bytes;
      files.push(file);
    }
    log.info({ files: files.length }, 'Taking over request logs that another process left on disk.');
  }

  return {
    get drafts() {
      return drafts;
    },
    get isEmpty() {
      return isEmpty();
    },
    get fullness() {
      return (diskBytes + queuedBytes) / DISK_BYTES;
    },
    get age() {
      return isEmpty() ? 0 : performance.now() - since;
    },
    get lost() {
      return lost;
    },
    append(chunk) {
      const { length } = chunk.bytes;
      if (queuedBytes + length > MEMORY_BYTES || diskBytes + queuedBytes + length > DISK_BYTES) return false;
      if (isEmpty()) since = performance.now();
      queue.push(chunk);
      queuedBytes += length;
      drafts += chunk.drafts;
      writing ??= write().finally(() => {
        writing = null;
      });
      return true;
    },
    async take() {
      if (files.length === 0 && !writing) await finish();
      const file = files.shift() ?? null;
      if (file) drafts -= file.drafts;
      return file;
    },
    giveBack(file) {
      files.unshift(file);
      drafts += file.drafts;
    },
    done({ bytes }) {
      diskBytes -= bytes;
    },
    start() {
      void pulse();
      timer = setInterval(() => void pulse(), PULSE).unref();
    },
    async stop() {
      clearInterval(timer);
      await writing;
      await finish();
      for (const path of directories) await leave(path);
    },
  };
}

/** Directories of processes that gave no sign of life. */
async function abandoned(directory: string, ours: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await readdir(directory).catch(unlessMissing)) {
    const path = join(directory, name);
    if (!name.startsWith(PREFIX) || ours.includes(path)) continue;
    const { mtimeMs } = await stat(path);
    if (mtimeMs < Date.now() - ABANDONED) paths.push(path);
  }
  return paths;
}

function unlessMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** An empty directory goes; another is marked as abandoned, so that the next process need not wait. */
async function leave(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    await utimes(path, 0, 0);
  }
}
