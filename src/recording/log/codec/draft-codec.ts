import type { ExchangeDraft } from '../draft.ts';
import { arranging, COLUMNS, type Columns } from './columns.ts';
import { applyDifferences, type Differences } from './differences.ts';
import { bodiesOf, draftDifferences, draftOf, NO_VALUES, type Values, valuesOf } from './draft-values.ts';

/** Drafts in the form that crosses to another thread or to disk. */
export type Chunk = { bytes: Uint8Array; drafts: number };

/**
 * Some hundred drafts of short calls: handing them over holds the requests up for a moment, so it shall not happen often. A
 * draft that is larger gets a buffer of its own.
 */
const BUFFER_BYTES = 1024 * 1024;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const WIDEST = 3;
const LENGTH_BYTES = 4;

/** What every chunk begins with: the mark of `isTold`, the length of a JSON text, and the text, which says what the values are. */
const HEAD = headOf(COLUMNS);
const TOLD_AT = 0;

function headOf(columns: Columns): Buffer {
  const text = Buffer.from(JSON.stringify(columns));
  const head = Buffer.alloc(1 + LENGTH_BYTES + text.length);
  head.writeUInt32LE(text.length, 1);
  text.copy(head, 1 + LENGTH_BYTES);
  return head;
}

/** Whether metrics and spans know of the drafts of a chunk: it was worked out before, and then refused by the database. */
export const isTold = (bytes: Uint8Array): boolean => bytes[TOLD_AT] === 1;

export function markAsTold(bytes: Uint8Array): void {
  bytes[TOLD_AT] = 1;
}

/**
 * Writes drafts into one buffer as they come: of each the length of a JSON text, the text, which says what differs from the
 * draft before (see `valuesOf`), and the bytes of its bodies one after the other. Against a structured clone of the drafts,
 * nothing of them stays on the heap.
 */
export class DraftBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  readonly #onFull: (chunk: Chunk) => void;
  #used = HEAD.length;
  /** Of the last draft in the buffer. */
  #values = NO_VALUES;
  drafts = 0;

  /**
   * `onFull` gets what is in the buffer when the next draft does not fit. The bytes are its own until it returns: the next
   * drafts are written over them.
   */
  constructor(onFull: (chunk: Chunk) => void) {
    this.#onFull = onFull;
    HEAD.copy(this.#buffer);
  }

  add(draft: ExchangeDraft): void {
    const values = valuesOf(draft);
    const bodies = bodiesOf(draft);
    if (this.#addNext(values, bodies)) return;
    this.flush();
    if (!this.#addNext(values, bodies)) this.#onFull(chunkOfOne(values, bodies));
  }

  /** False, and nothing happened, where there is no room. */
  #addNext(values: Values, bodies: readonly Buffer[]): boolean {
    const json = JSON.stringify(draftDifferences(values, this.#values));
    if (this.#used + roomFor(json, bodies) > BUFFER_BYTES) return false;
    this.#used = write(this.#buffer, this.#used, json, bodies);
    this.#values = values;
    this.drafts++;
    return true;
  }

  flush(): void {
    if (this.drafts === 0) return;
    const chunk = { bytes: this.#buffer.subarray(0, this.#used), drafts: this.drafts };
    this.#used = HEAD.length;
    this.#values = NO_VALUES;
    this.drafts = 0;
    this.#onFull(chunk);
  }
}

function roomFor(json: string, bodies: readonly Buffer[]): number {
  let room = LENGTH_BYTES + json.length * WIDEST;
  for (const body of bodies) room += body.length;
  return room;
}

function chunkOfOne(values: Values, bodies: readonly Buffer[]): Chunk {
  const json = JSON.stringify(draftDifferences(values, NO_VALUES));
  const buffer = Buffer.allocUnsafeSlow(HEAD.length + roomFor(json, bodies));
  HEAD.copy(buffer);
  return { bytes: buffer.subarray(0, write(buffer, HEAD.length, json, bodies)), drafts: 1 };
}

/** Answers where it ended. */
function write(buffer: Buffer, start: number, json: string, bodies: readonly Buffer[]): number {
  const length = buffer.write(json, start + LENGTH_BYTES, 'utf8');
  let end = buffer.writeUInt32LE(length, start) + length;
  for (const body of bodies) {
    body.copy(buffer, end);
    end += body.length;
  }
  return end;
}

/** The drafts of a chunk, whichever version of this program wrote it. The bodies are views of `bytes`. */
export function decodeDrafts(bytes: Uint8Array): ExchangeDraft[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const drafts: ExchangeDraft[] = [];
  const values: unknown[] = [];
  let at = TOLD_AT + 1;
  const take = (length: number) => {
    at += length;
    return buffer.subarray(at - length, at);
  };
  const takeJson = () => JSON.parse(take(take(LENGTH_BYTES).readUInt32LE()).toString('utf8'));
  const arranged = arranging(takeJson() as Columns);
  while (at < buffer.length) {
    applyDifferences(values, takeJson() as Differences);
    drafts.push(draftOf(arranged(values), take));
  }
  return drafts;
}
