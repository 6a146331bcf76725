import type { KeyObject } from 'node:crypto';
import type { Logger } from '../../../lib/logger.ts';
import { type Chunk, isTold } from '../codec/draft-codec.ts';
import { FILE_BYTES, type FileWriter, type SealedChunk } from './file-writer.ts';
import { opened, seal } from './sealed-file.ts';

/** Bytes on the way to the disk, or in memory while it refuses. */
const MEMORY_BYTES = 32 * 1024 * 1024;
/** For how long a disk that refused is left alone. */
const REST_MS = 5000;

/** Chunks on their way to the disk, sealed as they will lie there. Those that the disk refuses stay in their places. */
export class DiskQueue {
  readonly #key: KeyObject;
  readonly #writer: FileWriter;
  readonly #log: Logger;
  readonly #chunks: SealedChunk[] = [];
  /** Of the chunks here, those included that are being written. */
  #bytes = 0;
  #writing: Promise<void> | null = null;
  #restUntil = 0;

  constructor(key: KeyObject, writer: FileWriter, log: Logger) {
    this.#key = key;
    this.#writer = writer;
    this.#log = log;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0 && !this.#writer.isOpen;
  }

  get bytes(): number {
    return this.#bytes + this.#writer.bytes;
  }

  /** Does not wait for the disk, and needs the bytes no more when it returns. False when there is no room in memory. */
  push({ bytes, drafts }: Chunk): boolean {
    if (this.#bytes + bytes.length > MEMORY_BYTES) return false;
    const piece = seal(bytes, this.#key);
    this.#chunks.push({ piece, drafts, isTold: isTold(bytes) });
    this.#bytes += piece.length;
    this.writeSoon();
    return true;
  }

  writeSoon(): void {
    if (this.#chunks.length > 0 && !this.#isResting) this.#writing ??= this.#writeAll();
  }

  /** The file that is not full yet takes no more, unless it is being written to just now. */
  async finishFile(): Promise<void> {
    if (!this.#writing) await this.#writer.finish();
  }

  async finishAnyway(): Promise<void> {
    try {
      await this.#writer.finish();
    } catch (error) {
      this.#log.warn({ error }, 'A file of request logs was not closed.');
    }
  }

  /** The oldest that the disk has refused, as it came; null when there is none. */
  shiftRefused(): Chunk | null {
    const chunk = this.#writing || !this.#isResting ? undefined : this.#chunks.shift();
    if (!chunk) return null;
    this.#bytes -= chunk.piece.length;
    return { bytes: opened(chunk.piece, this.#key), drafts: chunk.drafts };
  }

  /** Tries the disk once more; answers how many drafts it did not take. */
  async end(): Promise<number> {
    await this.#writing;
    this.#restUntil = 0;
    this.writeSoon();
    await this.#writing;
    await this.finishAnyway();
    return draftsOf(this.#chunks);
  }

  get #isResting(): boolean {
    return performance.now() < this.#restUntil;
  }

  async #writeAll(): Promise<void> {
    while (this.#chunks.length > 0 && !this.#isResting) {
      const batch = this.#nextBatch();
      try {
        await this.#writer.write(batch);
        for (const { piece } of batch) this.#bytes -= piece.length;
      } catch (error) {
        await this.#refuse(batch, error);
      }
    }
    this.#writing = null;
  }

  /** About as much as a file holds, at least one chunk. */
  #nextBatch(): SealedChunk[] {
    let count = 0;
    for (let length = 0; count < this.#chunks.length && length < FILE_BYTES; count++)
      length += this.#chunks[count]?.piece.length ?? 0;
    return this.#chunks.splice(0, count);
  }

  async #refuse(batch: SealedChunk[], error: unknown): Promise<void> {
    this.#log.warn(
      { error, records: draftsOf(batch) },
      'The disk does not take request logs that have to wait.',
    );
    this.#restUntil = performance.now() + REST_MS;
    this.#chunks.unshift(...batch);
    await this.finishAnyway();
  }
}

const draftsOf = (chunks: readonly SealedChunk[]): number =>
  chunks.reduce((sum, { drafts }) => sum + drafts, 0);
