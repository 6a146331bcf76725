import { statfs } from 'node:fs/promises';
import type { Logger } from '../lib/logger.ts';
import { isOutOfSpace } from './out-of-space.ts';

export type DiskWatch = {
  /** True while the data directory has no room, or a write was refused for that a moment ago. */
  isFull(): boolean;
  /** Call with the error of every failed write: a quota is invisible in what the file system reports. */
  note(error: unknown): void;
  start(): Promise<void>;
  stop(): void;
};

/** Milliseconds between two looks at the file system. */
const LOOK_INTERVAL_MS = 2000;
/** Milliseconds for which a refused write counts as a sign of a full disk. */
const REFUSAL_LASTS_MS = 15_000;
/** Free bytes below which the disk counts as full: the store's log takes as much at once. */
const LEAST_FREE_BYTES = 1024 * 1024;

export function createDiskWatch(directory: string, log: Logger): DiskWatch {
  let hasRoom = true;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let wasFull = false;

  const isFull = (): boolean => !hasRoom || performance.now() - refusedAt < REFUSAL_LASTS_MS;

  async function look(): Promise<void> {
    try {
      const { bavail, bsize } = await statfs(directory);
      hasRoom = bavail * bsize >= LEAST_FREE_BYTES;
    } catch (error) {
      log.warn({ error, directory }, 'The room on the disk is not known.');
    }
    if (isFull() !== wasFull) {
      wasFull = !wasFull;
      if (wasFull)
        log.error({ directory }, 'The disk is full: writes are refused; reads and inference go on.');
      else log.info({ directory }, 'There is room on the disk again.');
    }
  }

  return {
    isFull,
    note(error) {
      if (isOutOfSpace(error)) refusedAt = performance.now();
    },
    async start() {
      await look();
      timer = setInterval(() => void look(), LOOK_INTERVAL_MS).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
