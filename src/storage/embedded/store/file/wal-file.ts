import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Reads SQLite's write-ahead log as https://sqlite.org/walformat.html describes it: a header of 32 bytes, then frames
 * of 24 bytes and a page. A frame counts when it carries the salts of the header and when the checksum, which runs
 * through all frames before it, is right.
 */
const headerSize = 32;
const frameHeaderSize = 24;
const magic = 0x377f0682;
const formatVersion = 3007000;

export type WalContent = {
  /** The two salts as they stand in the file; null when the header is damaged. */
  salts: Buffer | null;
  /** Frames up to the last valid commit, as far as they were asked for. */
  frames: number;
};

/** What the log at `path` holds, looking at no more than `limit` frames; null without a log or with an empty one. */
export function readWal(path: string, limit: number): WalContent | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const header = Buffer.alloc(headerSize);
    const length = readSync(file, header, 0, headerSize, 0);
    if (length === 0) return null;
    return length === headerSize ? readFrames(file, header, limit) : { salts: null, frames: 0 };
  } finally {
    closeSync(file);
  }
}

function readFrames(file: number, header: Buffer, limit: number): WalContent {
  const checksum = new Checksum((header.readUInt32BE(0) & 1) === 1);
  checksum.add(header.subarray(0, 24));
  const intact =
    (header.readUInt32BE(0) & ~1) === magic &&
    header.readUInt32BE(4) === formatVersion &&
    checksum.matches(header, 24);
  if (!intact) return { salts: null, frames: 0 };
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(frameHeaderSize + header.readUInt32BE(8));
  let frames = 0;
  for (let n = 1; n <= limit; n++) {
    const at = headerSize + (n - 1) * frame.length;
    if (readSync(file, frame, 0, frame.length, at) < frame.length) break;
    if (!frame.subarray(8, 16).equals(salts)) break;
    checksum.add(frame.subarray(0, 8));
    checksum.add(frame.subarray(frameHeaderSize));
    if (!checksum.matches(frame, 16)) break;
    // The last frame of a transaction carries the size of the data file; the others carry 0.
    if (frame.readUInt32BE(4) !== 0) frames = n;
  }
  return { salts, frames };
}

/** The running checksum of a log; its words have the byte order of the machine that wrote it. */
class Checksum {
  readonly #bigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(bigEndian: boolean) {
    this.#bigEndian = bigEndian;
  }

  add(bytes: Buffer): void {
    let first = this.#first;
    let second = this.#second;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += 8) {
      first = (first + view.getUint32(at, !this.#bigEndian) + second) | 0;
      second = (second + view.getUint32(at + 4, !this.#bigEndian) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  /** Whether the checksum stored at an offset is the one computed so far. */
  matches(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second;
  }
}
