import { decode } from './bson/decode.ts';
import { encode } from './bson/encode.ts';
import { validate } from './bson/raw.ts';
import type { Document } from './value/types.ts';

/** The framing of the MongoDB wire protocol: OP_MSG both ways, OP_QUERY only for the first hello of a driver. */
const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;

const checksumPresent = 1;
const moreToCome = 2;

export const maximumMessage = 48_000_000;

/** A request: its bytes, its body, the document sequences beside it (still BSON), and whether an answer is wanted. */
export type Message = {
  bytes: Buffer;
  requestId: number;
  body: Document;
  sequences: Map<string, Buffer[]>;
  legacy: boolean;
  silent: boolean;
};

/** Parses one complete message. */
export function parseMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4);
  const code = bytes.readInt32LE(12);
  if (code === opMessage) return parseOpMessage(bytes, requestId);
  if (code === opQuery) return parseOpQuery(bytes, requestId);
  throw new RangeError(`unsupported operation code ${code}`);
}

function parseOpMessage(bytes: Buffer, requestId: number): Message {
  const flags = bytes.readUInt32LE(16);
  if (flags & 0xfffc) throw new RangeError('unknown required flag bits');
  const end = flags & checksumPresent ? bytes.length - 4 : bytes.length;
  const sequences = new Map<string, Buffer[]>();
  let body: Document | null = null;
  for (let at = 20; at < end; ) {
    const kind = bytes[at];
    const size = bytes.readInt32LE(at + 1);
    const sectionEnd = at + 1 + size;
    if (size < 5 || sectionEnd > end) throw new RangeError('section exceeds its message');
    if (kind === 0) {
      const raw = bytes.subarray(at + 1, sectionEnd);
      validate(raw);
      body = decode(raw);
    } else if (kind === 1) {
      const nameEnd = bytes.indexOf(0, at + 5);
      if (nameEnd < 0 || nameEnd >= sectionEnd) throw new RangeError('section without a name');
      sequences.set(
        bytes.toString('utf8', at + 5, nameEnd),
        splitDocuments(bytes.subarray(nameEnd + 1, sectionEnd)),
      );
    } else throw new RangeError(`unknown section kind ${String(kind)}`);
    at = sectionEnd;
  }
  if (!body) throw new RangeError('message without a body');
  return { bytes, requestId, body, sequences, legacy: false, silent: (flags & moreToCome) !== 0 };
}

function splitDocuments(bytes: Buffer): Buffer[] {
  const result: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readInt32LE(at);
    if (size < 5 || at + size > bytes.length) throw new RangeError('document exceeds its section');
    result.push(bytes.subarray(at, at + size));
    at += size;
  }
  return result;
}

function parseOpQuery(bytes: Buffer, requestId: number): Message {
  const nameEnd = bytes.indexOf(0, 20);
  const database = bytes.toString('utf8', 20, nameEnd).split('.')[0] ?? '';
  if (nameEnd < 0) throw new RangeError('query without a namespace');
  const rest = bytes.subarray(nameEnd + 9);
  const raw = rest.subarray(0, rest.readInt32LE(0));
  validate(raw);
  const named = { ...decode(raw), $db: database };
  return { bytes, requestId, body: named, sequences: new Map(), legacy: true, silent: false };
}

let nextRequestId = 1;

/** Frames a command as a client would send it. */
export function frameCommand(command: Document): Buffer {
  const body = encode(command);
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(opMessage, 12);
  return Buffer.concat([head, body]);
}

/** Frames an answer in the form in which the question came. */
export function frameReply(
  request: Pick<Message, 'requestId' | 'legacy'>,
  reply: Document | Buffer,
): Buffer[] {
  const body = Buffer.isBuffer(reply) ? reply : encode(reply);
  const headSize = request.legacy ? 36 : 21;
  const head = Buffer.alloc(headSize);
  head.writeInt32LE(headSize + body.length, 0);
  head.writeInt32LE(nextRequestId++ & 0x7fffffff, 4);
  head.writeInt32LE(request.requestId, 8);
  head.writeInt32LE(request.legacy ? opReply : opMessage, 12);
  if (request.legacy) {
    head.writeInt32LE(8, 16);
    head.writeInt32LE(1, 32);
  }
  return [head, body];
}
