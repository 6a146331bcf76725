import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { Binary } from 'mongodb';
import type { VectorSegmentDocument } from '../documents.ts';
import type { QuantisedVectors } from '../embed/quantise.ts';

/** A chunk with its text. */
export type TextChunk = { start: number; end: number; text: string };

type Packed = Pick<VectorSegmentDocument, 'count' | 'dimensions' | 'chunks' | 'values' | 'scales' | 'bytes'>;

/** Bytes of text and vectors in a segment at most: a document of the store has 16 MB. */
const MAX_SEGMENT = 8 * 1024 * 1024;
/** Bytes of the largest text that is unpacked. */
const MAX_TEXT = 64 * 1024 * 1024;
/** Compresses texts to a third in a few milliseconds a megabyte. */
const QUALITY = 4;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** The chunks of a file and their vectors as segments of at most 8 MB. */
export async function packed(chunks: readonly TextChunk[], vectors: QuantisedVectors): Promise<Packed[]> {
  const segments: Packed[] = [];
  let first = 0;
  while (first < chunks.length) {
    const after = cutOf(chunks, first, vectors.dimensions);
    segments.push(await packOne(chunks.slice(first, after), vectors, first));
    first = after;
  }
  return segments;
}

function cutOf(chunks: readonly TextChunk[], first: number, dimensions: number): number {
  let bytes = 0;
  let at = first;
  for (; at < chunks.length; at++) {
    bytes += Buffer.byteLength(chunks[at]?.text ?? '') + dimensions;
    if (bytes > MAX_SEGMENT && at > first) break;
  }
  return at;
}

async function packOne(
  chunks: readonly TextChunk[],
  { values, scales, dimensions }: QuantisedVectors,
  first: number,
): Promise<Packed> {
  const json = JSON.stringify(chunks.map(({ start, end, text }) => [start, end, text]));
  const after = first + chunks.length;
  const textBytes = chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return {
    count: chunks.length,
    dimensions,
    chunks: new Binary(await compress(json, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } })),
    values: new Binary(Buffer.from(values.slice(first * dimensions, after * dimensions).buffer)),
    scales: new Binary(Buffer.from(scales.slice(first, after).buffer)),
    bytes: textBytes + chunks.length * dimensions,
  };
}

/** The chunks of a segment, in order. */
export async function chunksIn({ chunks }: Pick<VectorSegmentDocument, 'chunks'>): Promise<TextChunk[]> {
  const json = await decompress(chunks.value(), { maxOutputLength: MAX_TEXT });
  const rows = JSON.parse(json.toString('utf8')) as [number, number, string][];
  return rows.map(([start, end, text]) => ({ start, end, text }));
}

/** The vectors of a segment. */
export function vectorsIn({
  values,
  scales,
  dimensions,
  count,
}: Pick<VectorSegmentDocument, 'values' | 'scales' | 'dimensions' | 'count'>): QuantisedVectors {
  return {
    dimensions,
    count,
    values: new Int8Array(copied(values)),
    scales: new Float32Array(copied(scales)),
  };
}

/** A buffer of its own, which can be moved to another thread and begins at a whole number. */
const copied = (binary: Binary): ArrayBuffer => Uint8Array.from(binary.value()).buffer;
