import { hash, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readdir, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import { isMissing, unlessGone } from '../../../lib/unless-gone.ts';

/** Milliseconds without a sign of life after which a directory is abandoned. */
const SILENCE = 120_000;
const PREFIX = 'overflow-';

/** Of this process, which may have several logs in tests. */
const ownNames = new Set<string>();

/**
 * Finds directories of processes that are gone: those that one has marked with the time 0 as it ended, those whose process
 * ran here and does not any more, and those whose time did not change while this process watched. Clocks of several
 * machines need not agree.
 */
export class Abandoned {
  readonly #directory: string;
  #seen = new Map<string, { mtime: number; since: number }>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  newName(): string {
    const name = join(this.#directory, `${PREFIX}${HERE}-${process.pid}-${randomUUID()}`);
    ownNames.add(name);
    return name;
  }

  /** `ours`: what is not to be looked at. */
  async look(ours: ReadonlySet<string>): Promise<string[]> {
    const seen = new Map<string, { mtime: number; since: number }>();
    const found: string[] = [];
    for (const path of await this.#others(ours)) {
      const mtime = (await unlessGone(stat(path)))?.mtimeMs;
      if (mtime === undefined) continue;
      const before = this.#seen.get(path);
      const since = before?.mtime === mtime ? before.since : performance.now();
      seen.set(path, { mtime, since });
      if (mtime === 0 || isDead(path) || performance.now() - since > SILENCE) found.push(path);
    }
    this.#seen = seen;
    return found;
  }

  async #others(ours: ReadonlySet<string>): Promise<string[]> {
    const names = (await unlessGone(readdir(this.#directory))) ?? [];
    return names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => join(this.#directory, name))
      .filter((path) => !ours.has(path));
  }
}

/** Where process numbers mean the same: containers that share a directory may each have a process 1. */
const HERE = hash('sha256', `${hostname()} ${processNamespace()}`).slice(0, 12);

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has several on one host.
    return '';
  }
}

/** Whether the process that a directory is named after ran here and has ended. */
function isDead(path: string): boolean {
  const [here, pid] = basename(path).slice(PREFIX.length).split('-');
  if (here !== HERE) return false;
  // What has our number and is not ours was left by one before us.
  return Number(pid) === process.pid ? !ownNames.has(path) : !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** False for a directory in which something waits. */
export async function isRemoved(path: string): Promise<boolean> {
  try {
    await rmdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    if (!isMissing(error)) throw error;
  }
  return true;
}

/** Removes an empty directory, and marks another so that the next process need not wait until it sees that we are gone. */
export async function leave(path: string, log: Logger): Promise<void> {
  try {
    if (!(await isRemoved(path))) await utimes(path, 0, 0);
  } catch (error) {
    log.warn({ error, path }, 'A directory of request logs could not be left in order.');
  }
}
