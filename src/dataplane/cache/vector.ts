/** A text's place among meanings, of unit length. */
export type Embedding = Float32Array;

/** Null for what is no direction. */
export function normalised(values: readonly number[]): Embedding | null {
  const length = Math.hypot(...values);
  return values.length > 0 && Number.isFinite(length) && length > 0
    ? Float32Array.from(values, (value) => value / length)
    : null;
}

/** Cosine of two unit vectors; 0 for those of different models. */
export function similarity(left: Embedding, right: Embedding): number {
  if (left.length !== right.length) return 0;
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

export const vectorBytes = (vector: Embedding): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** A copy, since the bytes of a reply stand anywhere in its buffer. */
export const unitVector = (bytes: Uint8Array): Embedding => new Float32Array(bytes.slice().buffer);
