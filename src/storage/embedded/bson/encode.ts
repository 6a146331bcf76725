import { serialize } from 'bson';
import { CommandError, errorReply } from '../errors.ts';
import type { Document } from '../value/types.ts';

const tooLarge = (): CommandError => new CommandError(10334, 'BSONObj size is invalid: more than 16 MB');

/** Writes a document as BSON; undefined is left out, as expressions that yield nothing do. */
export function encode(document: Document): Buffer {
  let bytes: Uint8Array;
  try {
    bytes = serialize(document, { ignoreUndefined: true });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error;
  }
  const result = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The library writes into a buffer of 17 MB, and what goes beyond may be cut without an error.
  if (result.length < 5 || result.readInt32LE(0) !== result.length || result.at(-1) !== 0) throw tooLarge();
  return result;
}

/** Length of a cursor reply around the documents themselves, rounded up. */
const overhead = 128;

/** Writes `{cursor: {<batchName>: [...], id, ns}, ok: 1}` around documents that are already BSON. */
export function encodeCursorReply(
  batchName: string,
  documents: readonly Buffer[],
  id: bigint,
  ns: string,
): Buffer {
  let size = overhead + Buffer.byteLength(ns) + batchName.length;
  for (const document of documents) size += document.length + 9;
  const out = Buffer.allocUnsafe(size);
  let at = 4;
  const cursorStart = startContainer(0x03, 'cursor');
  const arrayStart = startContainer(0x04, batchName);
  for (let i = 0; i < documents.length; i++) {
    element(0x03, String(i));
    at += (documents[i] as Buffer).copy(out, at);
  }
  endContainer(arrayStart);
  element(0x12, 'id');
  at = out.writeBigInt64LE(id, at);
  element(0x02, 'ns');
  const nsLength = out.write(ns, at + 4, 'utf8');
  out.writeInt32LE(nsLength + 1, at);
  at += 4 + nsLength;
  out[at++] = 0;
  endContainer(cursorStart);
  element(0x01, 'ok');
  at = out.writeDoubleLE(1, at);
  endContainer(0);
  return out.subarray(0, at);

  function element(type: number, name: string): void {
    out[at++] = type;
    at += out.write(name, at, 'latin1');
    out[at++] = 0;
  }
  function startContainer(type: number, name: string): number {
    element(type, name);
    at += 4;
    return at - 4;
  }
  function endContainer(start: number): void {
    out[at++] = 0;
    out.writeInt32LE(at - start, start);
  }
}

/** Writes the document that tells a driver what went wrong, whatever the size of what it would quote. */
export function encodeError(error: unknown): Buffer {
  const { detail, ...known } = errorReply(error);
  try {
    return encode({ ...known, ...detail });
  } catch {
    // The details are a courtesy; the code and the beginning of the text are not.
    return encode(known);
  }
}
