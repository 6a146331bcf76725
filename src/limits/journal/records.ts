import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A journal is a sequence of records, each the number of its bytes and then its entries. An entry either gives a lease a
 * number, its place, or says what the lease at a place has used and holds. The last one counts. A kill may cut the last
 * record short, which then counts as absent: it was to be written before a call went out, so the call did not go out.
 *
 *     record   bytes: u32, entries
 *     entry    place | NAMING: u32, bytes of the counter's id: u16, bytes of the lease's key: u16, both as UTF-8
 *              place: u32, used: f64, held: f64
 */
const NAMING = 0x80000000;
const HEAD = 4;
const STATE = 20;
const NAMES = 8;
/** Bytes of the longest id or key. */
const LONGEST = 0xffff;

/** A lease as far as its process wrote it down. Amounts are in the unit of its limit. */
export type JournaledLease = { id: string; key: string; used: number; held: number };

/** Puts records together in memory of its own. */
export class RecordWriter {
  #bytes = Buffer.alloc(16_384);
  #view = viewOf(this.#bytes);
  #end = HEAD;

  name(place: number, id: string, key: string): void {
    const [idBytes, keyBytes] = [Buffer.byteLength(id), Buffer.byteLength(key)];
    if (idBytes > LONGEST || keyBytes > LONGEST) throw new RangeError('The id of a counter is too long.');
    this.#reserve(NAMES + idBytes + keyBytes);
    const at = this.#end;
    this.#view.setUint32(at, (place | NAMING) >>> 0, true);
    this.#view.setUint16(at + 4, idBytes, true);
    this.#view.setUint16(at + 6, keyBytes, true);
    this.#bytes.write(id, at + NAMES);
    this.#bytes.write(key, at + NAMES + idBytes);
    this.#end += NAMES + idBytes + keyBytes;
  }

  state(place: number, used: number, held: number): void {
    this.#reserve(STATE);
    const at = this.#end;
    this.#view.setUint32(at, place, true);
    this.#view.setFloat64(at + 4, used, true);
    this.#view.setFloat64(at + 12, held, true);
    this.#end += STATE;
  }

  /** The record, until the next entry. */
  take(): { bytes: Buffer; length: number } {
    const length = this.#end;
    this.#view.setUint32(0, length - HEAD, true);
    this.#end = HEAD;
    return { bytes: this.#bytes, length };
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const grown = Buffer.alloc(2 * (this.#end + more));
    this.#bytes.copy(grown, 0, 0, this.#end);
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Records between two turns of other work. */
const BATCH = 5000;

/**
 * What a journal says, by the keys of the leases. Null where its first record, which holds all that was there before it,
 * is not whole: then it says nothing.
 */
export async function readRecords(bytes: Buffer): Promise<Map<string, JournaledLease> | null> {
  const places = new Map<number, JournaledLease>();
  let at = 0;
  let count = 0;
  while (at + HEAD <= bytes.length) {
    const until = at + HEAD + bytes.readUInt32LE(at);
    if (until > bytes.length) break;
    readEntries(bytes.subarray(at + HEAD, until), places);
    at = until;
    if (++count % BATCH === 0) await nextTurn();
  }
  if (count === 0) return null;
  return new Map([...places.values()].map((lease) => [lease.key, lease]));
}

function readEntries(bytes: Buffer, places: Map<number, JournaledLease>): void {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt32LE(at);
    if (tag < NAMING) {
      const lease = places.get(tag);
      if (!lease) throw new RangeError('An entry is about a lease that was not named.');
      lease.used = bytes.readDoubleLE(at + 4);
      lease.held = bytes.readDoubleLE(at + 12);
      at += STATE;
      continue;
    }
    const middle = at + NAMES + bytes.readUInt16LE(at + 4);
    const end = middle + bytes.readUInt16LE(at + 6);
    if (end > bytes.length) throw new RangeError('An entry is longer than its record.');
    const id = bytes.toString('utf8', at + NAMES, middle);
    const key = bytes.toString('utf8', middle, end);
    places.set(tag - NAMING, { id, key, used: 0, held: 0 });
    at = end;
  }
}
