import { randomBytes } from 'node:crypto';
import { CommandError } from './errors.ts';
import type { Pace } from './pace.ts';

/** The documents of one reply may take this much; a single document may always go over it. A server allows 16 MB. */
const batchBytes = 4 * 1024 * 1024;

/** The lowest bits of a cursor's id say which thread has it: 0 the writer's, others a reader's. */
const laneMask = 7n;

export const laneOf = (cursor: bigint): number => Number(cursor & laneMask);

function newId(lane: number): bigint {
  const random = randomBytes(8).readBigInt64LE() & 0x7fffffffffffffffn;
  return (random & ~laneMask) | BigInt(lane);
}

/** Reads results batch by batch from a source that produces them in chunks of its own size. */
export class Cursor {
  /** Given when the cursor is kept open. */
  id = 0n;
  readonly namespace: string;
  readonly pace: Pace;
  readonly #source: AsyncIterator<Buffer[]>;
  #waiting: Buffer[] = [];
  #finished = false;
  lastUsed = Date.now();
  busy = false;
  /** The client asked that it never be closed for idleness. */
  patient = false;

  constructor(namespace: string, source: AsyncIterable<Buffer[]>, pace: Pace) {
    this.namespace = namespace;
    this.#source = source[Symbol.asyncIterator]();
    this.pace = pace;
  }

  get exhausted(): boolean {
    return this.#finished && this.#waiting.length === 0;
  }

  /** The next batch, limited by a number of documents (0: none, null: as many as fit) and by bytes. */
  async take(limit: number | null): Promise<Buffer[]> {
    this.pace.resume();
    try {
      return await this.#take(limit);
    } finally {
      this.pace.pause();
    }
  }

  async #take(limit: number | null): Promise<Buffer[]> {
    const batch: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      let used = 0;
      for (const document of this.#waiting) {
        if (limit !== null && batch.length >= limit) break;
        if (batch.length > 0 && bytes + document.length > batchBytes) break;
        batch.push(document);
        bytes += document.length + 16;
        used += 1;
      }
      if (used > 0) this.#waiting = this.#waiting.slice(used);
      const full = this.#waiting.length > 0 || (limit !== null && batch.length >= limit) || this.#finished;
      if (full) return batch;
      const next = await this.#source.next();
      if (next.done) this.#finished = true;
      else this.#waiting = next.value;
    }
  }

  async close(): Promise<void> {
    this.#finished = true;
    this.#waiting = [];
    await this.#source.return?.();
  }
}

/** The open cursors; those that nobody reads are closed after a while. */
export class Cursors {
  readonly #open = new Map<bigint, Cursor>();
  readonly #idleLimit: number;
  readonly #lane: number;

  constructor(idleLimit: number, lane: number) {
    this.#idleLimit = idleLimit;
    this.#lane = lane;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Keeps a cursor for later batches; its client has begun to read, so it stays in this thread. */
  add(cursor: Cursor): void {
    cursor.id = newId(this.#lane);
    cursor.pace.stay();
    this.#open.set(cursor.id, cursor);
  }

  get(id: bigint, namespace: string): Cursor {
    const cursor = this.#open.get(id);
    if (!cursor) throw new CommandError(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    cursor.lastUsed = Date.now();
    return cursor;
  }

  async remove(id: bigint): Promise<boolean> {
    const cursor = this.#open.get(id);
    if (!cursor) return false;
    this.#open.delete(id);
    cursor.pace.stopped = new CommandError(237, 'operation was interrupted because its cursor was killed');
    if (!cursor.busy) await cursor.close();
    return true;
  }

  /** Closes what has been idle for too long. */
  async sweep(now = Date.now()): Promise<void> {
    for (const [id, cursor] of this.#open) {
      if (!cursor.busy && !cursor.patient && now - cursor.lastUsed > this.#idleLimit) await this.remove(id);
    }
  }
}
