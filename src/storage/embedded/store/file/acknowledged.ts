import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';

/**
 * How much of the write-ahead log was acknowledged to clients. SQLite stops reading a log at its first damaged frame
 * without a word; this lower bound, kept beside the log, is what makes such a loss visible at the next start.
 */
export type Bound = {
  /** The two salts of the log that the numbers speak of. */
  salts: Buffer;
  frames: number;
  /** Frames whose pages had been copied to the data file. */
  checkpointed: number;
};

const recordSize = 20;

export const boundPath = (database: string): string => `${database}-acknowledged`;

/** The bound that the last run left; null when there is none, or when it is torn and so says nothing. */
export function readBound(database: string): Bound | null {
  let record: Buffer;
  try {
    record = readFileSync(boundPath(database));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (record.length !== recordSize || record.readUInt32LE(16) !== crc32(record.subarray(0, 16))) return null;
  const frames = record.readUInt32LE(8);
  if (frames === 0) return null;
  return { salts: record.subarray(0, 8), frames, checkpointed: record.readUInt32LE(12) };
}

/** Keeps the bound while the database is open. */
export class Acknowledged {
  readonly #database: string;
  readonly #index: number;
  readonly #file: number;
  readonly #header = Buffer.alloc(100);
  /** The header's words in the byte order of this machine, as SQLite writes them. */
  readonly #words = new Uint32Array(this.#header.buffer, this.#header.byteOffset, 25);
  readonly #record = Buffer.alloc(recordSize);

  /** To be made after the first statement that touched the file: only then is there a log index to read. */
  constructor(database: string) {
    this.#database = database;
    // Not closed before SQLite has let go of it: closing a file drops every lock that the process holds on it.
    this.#index = openSync(`${database}-shm`, 'r');
    this.#file = openSync(boundPath(database), constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#note();
  }

  /** To be called after every commit; how long the log is, and how much of it is in the data file. */
  update(): { frames: number; checkpointed: number } {
    try {
      this.#note();
    } catch {
      // The commit stands whatever happens here, and what was noted before is still a true lower bound.
    }
    return { frames: this.#words[4] ?? 0, checkpointed: this.#words[24] ?? 0 };
  }

  /** Reads from the log index how far the log is committed, and notes it. */
  #note(): void {
    readSync(this.#index, this.#header, 0, 100, 0);
    this.#header.copy(this.#record, 0, 32, 40);
    this.#write(this.#words[4] ?? 0, this.#words[24] ?? 0);
  }

  /** To be called after SQLite closed the database, which copies the log to the data file and removes it. */
  close(): void {
    closeSync(this.#index);
    closeSync(this.#file);
    if (!existsSync(`${this.#database}-wal`)) rmSync(boundPath(this.#database), { force: true });
  }

  #write(frames: number, checkpointed: number): void {
    this.#record.writeUInt32LE(frames, 8);
    this.#record.writeUInt32LE(checkpointed, 12);
    this.#record.writeUInt32LE(crc32(this.#record.subarray(0, 16)), 16);
    writeSync(this.#file, this.#record, 0, recordSize, 0);
  }
}
