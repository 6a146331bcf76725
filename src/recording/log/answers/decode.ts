import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Gunzip,
  type Inflate,
  type ZstdDecompress,
} from 'node:zlib';
import { Pieces } from '../../../lib/pieces.ts';

type Decoder = Gunzip | Inflate | BrotliDecompress | ZstdDecompress;

/** The low half of the first byte where deflate has the head that it should have; some servers leave it out. */
const DEFLATE_METHOD = 8;
const METHOD_BITS = 0x0f;

const zlib = (isPart: boolean) => (isPart ? { finishFlush: constants.Z_SYNC_FLUSH } : {});

/** `isPart`: takes bytes that end too early for what is there of the content. */
const decoders: Record<string, (bytes: Buffer, isPart: boolean) => Decoder> = {
  gzip: (_bytes, isPart) => createGunzip(zlib(isPart)),
  'x-gzip': (_bytes, isPart) => createGunzip(zlib(isPart)),
  deflate: (bytes, isPart) =>
    ((bytes[0] ?? 0) & METHOD_BITS) === DEFLATE_METHOD
      ? createInflate(zlib(isPart))
      : createInflateRaw(zlib(isPart)),
  br: (_bytes, isPart) =>
    createBrotliDecompress(isPart ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
  zstd: (_bytes, isPart) => createZstdDecompress(isPart ? { finishFlush: constants.ZSTD_e_flush } : {}),
};

/** `isWhole`: false when there is more than was asked for. */
export type Decoded = { bytes: Buffer; isWhole: boolean };

/**
 * The first `limit` bytes of a compressed content, on a thread of the system's pool; null where the coding is not known or
 * the bytes are none of it.
 */
export function decode(
  bytes: Buffer,
  coding: string,
  { limit, isPart }: { limit: number; isPart: boolean },
): Promise<Decoded | null> {
  const decoder = decoders[coding]?.(bytes, isPart);
  if (!decoder) return Promise.resolve(null);
  return new Promise((resolve) => {
    const pieces = new Pieces();
    decoder.on('data', (piece: Buffer) => {
      pieces.add(piece);
      if (pieces.size <= limit) return;
      resolve({ bytes: pieces.joined().subarray(0, limit), isWhole: false });
      // What would follow may be a thousand times as long as what came.
      decoder.destroy();
    });
    decoder.on('end', () => resolve({ bytes: pieces.joined(), isWhole: true }));
    decoder.on('error', () => resolve(null));
    decoder.end(bytes);
  });
}
