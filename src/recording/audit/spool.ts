import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BSON, BSONError } from 'bson';
import { unlessGone } from '../../lib/unless-gone.ts';
import { isOutOfSpace } from '../../storage/out-of-space.ts';
import type { Reserve } from './reserve.ts';

/** Records that the database could not take, on disk until it can. */
export type Spool<T> = {
  /** Resolves when the records are synced to disk. */
  append(records: T[]): Promise<void>;
  /** Hands every spooled record to `write`, file by file, and removes what was written; rejects when `write` does. */
  replay(write: (records: T[]) => Promise<void>): Promise<void>;
};

const BATCH = 1000;
/** Milliseconds after which half a file is what a killed process left. */
const ABANDONED_MS = 600_000;

/**
 * Files of concatenated BSON documents in `directory`, written whole and synced, replayed oldest first. Several processes
 * may share it: two that replay one file write its records twice, which `write` must bear. `reserve` takes what a full disk
 * refuses.
 */
export function createSpool<T extends object>(
  directory: string,
  prefix: string,
  reserve?: Reserve,
): Spool<T> {
  let count = 0;
  // A process id is not enough: containers that share the directory may each be number 1.
  const writer = randomUUID();
  /** Leaves nothing behind when it fails. */
  async function write(name: string, bytes: Buffer): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const part = join(directory, `part-${name}`);
    try {
      const file = await open(part, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      // Another process of the same directory must not take half a file for a whole one.
      await rename(part, join(directory, name));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Of a write that a kill cut short: nobody was told that it was done. */
  async function removeAbandoned(): Promise<void> {
    for (const path of await filesOf(directory, `part-${prefix}-`)) {
      const found = await unlessGone(stat(path));
      if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
  }

  return {
    async append(records) {
      const bytes = Buffer.concat(records.map((record) => BSON.serialize(record)));
      const name = `${prefix}-${Date.now()}-${writer}-${String(count++).padStart(6, '0')}.bson`;
      try {
        await write(name, bytes);
      } catch (error) {
        if (!reserve || !isOutOfSpace(error) || !(await reserve.put(bytes))) throw error;
      }
    },
    async replay(write) {
      const writeAll = async (bytes: Buffer): Promise<{ damaged: boolean }> => {
        const { records, damaged } = decode<T>(bytes);
        for (let start = 0; start < records.length; start += BATCH)
          await write(records.slice(start, start + BATCH));
        return { damaged };
      };
      await removeAbandoned();
      for (const path of await filesOf(directory, `${prefix}-`)) {
        const bytes = await unlessGone(readFile(path));
        if (!bytes) continue;
        const { damaged } = await writeAll(bytes);
        // What cannot be read is set aside for a human, not thrown away.
        if (damaged) await unlessGone(rename(path, join(directory, `damaged-${basename(path)}`)));
        else await rm(path, { force: true });
      }
      await reserve?.replay(writeAll);
    },
  };
}

async function filesOf(directory: string, beginning: string): Promise<string[]> {
  const names = (await unlessGone(readdir(directory))) ?? [];
  return names
    .filter((name) => name.startsWith(beginning))
    .sort()
    .map((name) => join(directory, name));
}

/**
 * The records of a file. A process killed in the middle of an append leaves a torn last record; it was never
 * acknowledged and is left out. `damaged`: bytes that no append has written follow the records.
 */
function decode<T>(bytes: Buffer): { records: T[]; damaged: boolean } {
  const records: T[] = [];
  let offset = 0;
  while (offset + 4 <= bytes.length) {
    const length = bytes.readInt32LE(offset);
    if (length < 5 || offset + length > bytes.length) break;
    try {
      records.push(BSON.deserialize(bytes.subarray(offset, offset + length), { promoteBuffers: true }) as T);
    } catch (error) {
      if (error instanceof BSONError) return { records, damaged: true };
      throw error;
    }
    offset += length;
  }
  return { records, damaged: false };
}
