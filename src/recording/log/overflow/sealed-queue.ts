import type { Chunk } from '../codec/draft-codec.ts';
import { opened, type SealedPiece, seal } from './sealed-file.ts';

type SealedChunk = { piece: SealedPiece; drafts: number };
/** What is written at once. */
export type Batch = { chunks: SealedChunk[]; length: number; drafts: number };

/** Drafts in memory that are on their way to the disk, sealed as they will lie there. */
export class SealedQueue {
  readonly #key: Uint8Array;
  readonly #chunks: SealedChunk[] = [];
  /** Those of a batch that is being written too, until it is done. */
  bytes = 0;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  push(chunk: Chunk): void {
    const piece = seal(chunk.bytes, this.#key);
    this.#chunks.push({ piece, drafts: chunk.drafts });
    this.bytes += piece.length;
  }

  /** About `size` bytes, at least one chunk. */
  next(size: number): Batch {
    const batch: Batch = { chunks: [], length: 0, drafts: 0 };
    while (this.#chunks.length > 0 && batch.length < size) {
      const chunk = this.#chunks.shift() as SealedChunk;
      batch.chunks.push(chunk);
      batch.length += chunk.piece.length;
      batch.drafts += chunk.drafts;
    }
    return batch;
  }

  done({ length }: Batch): void {
    this.bytes -= length;
  }

  putBack({ chunks }: Batch): void {
    this.#chunks.unshift(...chunks);
  }

  /** The oldest, as it came; null when there is none. */
  shift(): Chunk | null {
    const chunk = this.#chunks.shift();
    if (!chunk) return null;
    this.bytes -= chunk.piece.length;
    return { bytes: opened(chunk.piece, this.#key), drafts: chunk.drafts };
  }
}
