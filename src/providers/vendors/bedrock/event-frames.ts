import { crc32 } from 'node:zlib';
import { UnreadableAnswer } from '../../kinds/ai-sdk/answer/errors.ts';

/** A message of Amazon's binary event stream: its headers that are texts, and what it carries. */
export type EventFrame = { headers: Record<string, string>; payload: Buffer };

/** Length of the frame, length of its headers, checksum of the two. */
const PRELUDE = 12;
const CHECKSUM = 4;
const TEXT = 7;

/** Bytes of a frame; what Claude says at a time is far less. */
const MAX_FRAME = 1024 * 1024;

/** The frames in a stream of bytes, however it is cut; rejects for what is damaged, too large or cut off. */
export async function* framesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventFrame> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let wanted = PRELUDE;
  for await (const chunk of bytes) {
    pieces.push(chunk);
    size += chunk.length;
    if (size < wanted) continue;
    let held = Buffer.concat(pieces);
    while (held.length >= PRELUDE && held.length >= lengthOf(held)) {
      const length = lengthOf(held);
      yield parse(held.subarray(0, length));
      held = held.subarray(length);
    }
    pieces = [held];
    size = held.length;
    wanted = size < PRELUDE ? PRELUDE : lengthOf(held);
  }
  if (size > 0) throw new Error('The stream ended within a frame.');
}

function lengthOf(held: Buffer): number {
  const length = held.readUInt32BE(0);
  if (length < PRELUDE + CHECKSUM || length > MAX_FRAME)
    throw new UnreadableAnswer('a frame of the stream has a length that none can have');
  return length;
}

function parse(frame: Buffer): EventFrame {
  const end = frame.length - CHECKSUM;
  const headersEnd = PRELUDE + frame.readUInt32BE(4);
  if (end < headersEnd || crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end))
    throw new UnreadableAnswer('a frame of the stream is damaged');
  return {
    headers: headersIn(frame.subarray(PRELUDE, headersEnd)),
    payload: frame.subarray(headersEnd, end),
  };
}

/** Name with its length in one byte, the kind of value, the value with its length in two. Bedrock only sends texts. */
function headersIn(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    if (bytes.readUInt8(nameEnd) !== TEXT) throw new UnreadableAnswer('a frame has headers of another kind');
    const valueStart = nameEnd + 3;
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1);
    headers[bytes.toString('utf8', at + 1, nameEnd)] = bytes.toString('utf8', valueStart, valueEnd);
    at = valueEnd;
  }
  return headers;
}
