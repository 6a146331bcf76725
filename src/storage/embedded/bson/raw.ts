import { ObjectId } from 'bson';
import { CommandError } from '../errors.ts';

/** Reading BSON bytes without building objects: lengths, single fields, validation, and putting `_id` in front. */
const maximumDepth = 180;

function cStringLength(bytes: Buffer, offset: number): number {
  const end = bytes.indexOf(0, offset);
  if (end < 0) throw new RangeError('unterminated name');
  return end - offset + 1;
}

/** The lengths of values by type, where they are all the same. */
const fixedLengths = new Int8Array(256).fill(-1);
for (const type of [0x0a, 0x7f, 0xff]) fixedLengths[type] = 0;
for (const type of [0x01, 0x09, 0x11, 0x12]) fixedLengths[type] = 8;
fixedLengths[0x07] = 12;
fixedLengths[0x08] = 1;
fixedLengths[0x10] = 4;
fixedLengths[0x13] = 16;

/** A stored length; damaged ones that would lead backwards, and so around for ever, are refused. */
function lengthAt(bytes: Buffer, offset: number): number {
  const length = bytes.readInt32LE(offset);
  if (length < 0) throw new RangeError('a value has a negative length');
  return length;
}

/** How many bytes the value of an element takes. Code and the types that BSON has deprecated are refused here. */
export function valueLength(bytes: Buffer, type: number, offset: number): number {
  const fixed = fixedLengths[type] as number;
  if (fixed >= 0) return fixed;
  switch (type) {
    case 0x02:
      return 4 + lengthAt(bytes, offset);
    case 0x03:
    case 0x04:
      return lengthAt(bytes, offset);
    case 0x05:
      return 5 + lengthAt(bytes, offset);
    case 0x0b: {
      const pattern = cStringLength(bytes, offset);
      return pattern + cStringLength(bytes, offset + pattern);
    }
    default:
      throw new CommandError(22, `BSON element type ${type} is not supported`);
  }
}

/** One element of a raw document. */
export type Element = { type: number; nameAt: number; valueAt: number; end: number };

function elementAt(bytes: Buffer, at: number): Element {
  const type = bytes[at] as number;
  const nameAt = at + 1;
  const valueAt = nameAt + cStringLength(bytes, nameAt);
  return { type, nameAt, valueAt, end: valueAt + valueLength(bytes, type, valueAt) };
}

/** Walks the top-level elements until the visitor returns true. */
export function walkElements(bytes: Buffer, visit: (element: Element) => boolean | undefined): void {
  for (let at = 4; bytes[at]; ) {
    const element = elementAt(bytes, at);
    if (visit(element)) return;
    at = element.end;
  }
}

/** The names of a document in their order; `at` is where its first element begins. */
export function fieldNames(bytes: Buffer, at: number): string[] {
  const names: string[] = [];
  for (let next = at; bytes[next]; ) {
    const { nameAt, valueAt, end } = elementAt(bytes, next);
    names.push(bytes.toString('utf8', nameAt, valueAt - 1));
    next = end;
  }
  return names;
}

/** Finds a top-level element by name. */
export function findElement(bytes: Buffer, name: string): Element | null {
  let found: Element | null = null;
  walkElements(bytes, (element) => {
    if (bytes.toString('utf8', element.nameAt, element.valueAt - 1) !== name) return false;
    found = element;
    return true;
  });
  return found;
}

/** The document with some of its top-level elements, in their order. */
export function pickFields(bytes: Buffer, isPicked: (name: string) => boolean): Buffer {
  const parts = [bytes.subarray(0, 4)];
  walkElements(bytes, ({ nameAt, valueAt, end }) => {
    if (isPicked(bytes.toString('utf8', nameAt, valueAt - 1))) parts.push(bytes.subarray(nameAt - 1, end));
    return false;
  });
  const result = Buffer.concat([...parts, bytes.subarray(-1)]);
  result.writeInt32LE(result.length, 0);
  return result;
}

/** Refuses bytes that are not one well-formed document, so that nothing broken is ever stored. */
export function validate(bytes: Buffer, start = 0, end = bytes.length, depth = 0): void {
  if (depth > maximumDepth) throw new RangeError('document is nested too deeply');
  if (end - start < 5 || bytes.readInt32LE(start) !== end - start || bytes[end - 1] !== 0) {
    throw new RangeError('document length is wrong');
  }
  let at = start + 4;
  while (at < end - 1) {
    const type = bytes[at] as number;
    while (bytes[++at]);
    at += 1;
    const length = valueLength(bytes, type, at);
    if (length < 0 || at + length > end - 1) throw new RangeError('element exceeds its document');
    if (type === 0x03 || type === 0x04) validate(bytes, at, at + length, depth + 1);
    else if (type === 0x02 && (bytes.readInt32LE(at) < 1 || bytes[at + length - 1] !== 0)) {
      throw new RangeError('string is not terminated');
    } else if (type === 0x05) validateBinary(bytes, at, length - 5);
    at += length;
  }
  if (at !== end - 1) throw new RangeError('element exceeds its document');
}

/** The old subtype 2 carries its length once more. */
function validateBinary(bytes: Buffer, at: number, length: number): void {
  const broken = bytes[at + 4] === 2 && (length < 4 || bytes.readInt32LE(at + 5) !== length - 4);
  if (length < 0 || broken) throw new RangeError('binary length is wrong');
}

const idHeader = Buffer.from([0x07, 0x5f, 0x69, 0x64, 0x00]);

function startsWithId(bytes: Buffer): boolean {
  return bytes[5] === 0x5f && bytes[6] === 0x69 && bytes[7] === 0x64 && bytes[8] === 0;
}

/** The document with `_id` as its first field, made up when it has none, as a MongoDB server stores it. */
export function withLeadingId(bytes: Buffer): Buffer {
  if (startsWithId(bytes)) return bytes;
  const element = findElement(bytes, '_id');
  if (element) {
    const start = element.nameAt - 1;
    return Buffer.concat([
      bytes.subarray(0, 4),
      bytes.subarray(start, element.end),
      bytes.subarray(4, start),
      bytes.subarray(element.end),
    ]);
  }
  const result = Buffer.concat([bytes.subarray(0, 4), idHeader, new ObjectId().id, bytes.subarray(4)]);
  result.writeInt32LE(result.length, 0);
  return result;
}

/** The raw documents inside a raw array. */
export function arrayOfDocuments(bytes: Buffer): Buffer[] {
  const result: Buffer[] = [];
  walkElements(bytes, ({ type, valueAt, end }) => {
    if (type !== 0x03) throw new RangeError('array element is not a document');
    result.push(bytes.subarray(valueAt, end));
    return false;
  });
  return result;
}

/** The names of the top-level fields in which two raw documents differ. */
export function changedFields(before: Buffer, after: Buffer): Set<string> {
  const changed = new Set<string>();
  let left = 4;
  let right = 4;
  while (before[left] || after[right]) {
    const a = before[left] ? elementAt(before, left) : null;
    const b = after[right] ? elementAt(after, right) : null;
    const same = a && b && before.compare(after, right, b.end, left, a.end) === 0;
    if (!same && a) changed.add(before.toString('utf8', a.nameAt, a.valueAt - 1));
    if (!same && b) changed.add(after.toString('utf8', b.nameAt, b.valueAt - 1));
    if (a) left = a.end;
    if (b) right = b.end;
  }
  return changed;
}

/** SQLite hands out plain byte arrays; the decoder wants Node's buffers over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
