import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BSON, BSONError } from 'bson';

/** Records that the database could not take, on disk until it can. */
export type Spool<T> = {
  /** Resolves when the records are synced to disk. */
  append(records: T[]): Promise<void>;
  /** Hands every spooled record to `write`, file by file, and removes what was written; rejects when `write` does. */
  replay(write: (records: T[]) => Promise<void>): Promise<void>;
};

const BATCH = 1000;

/**
 * Files of concatenated BSON documents in `directory`, written whole and synced, replayed oldest first. Several processes
 * may share it: two that replay one file write its records twice, which `write` must bear.
 */
export function createSpool<T extends object>(directory: string, prefix: string): Spool<T> {
  let count = 0;
  // A process id is not enough: containers that share the directory may each be number 1.
  const writer = randomUUID();
  return {
    async append(records) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const name = `${prefix}-${Date.now()}-${writer}-${String(count++).padStart(6, '0')}.bson`;
      const part = join(directory, `part-${name}`);
      const file = await open(part, 'wx', 0o600);
      try {
        await file.writeFile(Buffer.concat(records.map((record) => BSON.serialize(record))));
        await file.sync();
      } finally {
        await file.close();
      }
      // Another process of the same directory must not take half a file for a whole one.
      await rename(part, join(directory, name));
    },
    async replay(write) {
      for (const path of await spoolFiles(directory, prefix)) {
        const bytes = await unlessGone(readFile(path));
        if (!bytes) continue;
        const { records, damaged } = decode<T>(bytes);
        for (let start = 0; start < records.length; start += BATCH)
          await write(records.slice(start, start + BATCH));
        // What cannot be read is set aside for a human, not thrown away.
        if (damaged) await unlessGone(rename(path, join(directory, `damaged-${basename(path)}`)));
        else await rm(path, { force: true });
      }
    },
  };
}

/** Null when another process has replayed the file meanwhile. */
async function unlessGone<R>(work: Promise<R>): Promise<R | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function spoolFiles(directory: string, prefix: string): Promise<string[]> {
  const names = (await unlessGone(readdir(directory))) ?? [];
  return names
    .filter((name) => name.startsWith(`${prefix}-`))
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
