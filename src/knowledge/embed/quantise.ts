/** Vectors of length 1 in whole numbers from -127 to 127; a number times the scale of its vector is the original. */
export type QuantisedVectors = { dimensions: number; count: number; values: Int8Array; scales: Float32Array };

const LARGEST = 127;

export function quantise(vectors: readonly ArrayLike<number>[]): QuantisedVectors {
  const dimensions = vectors[0]?.length ?? 0;
  const values = new Int8Array(vectors.length * dimensions);
  const scales = new Float32Array(vectors.length);
  vectors.forEach((vector, at) => {
    if (vector.length !== dimensions)
      throw new Error(`An embedding has ${vector.length} numbers in place of ${dimensions}.`);
    const scale = scaleOf(vector);
    scales[at] = scale.back;
    for (let place = 0; place < dimensions; place++)
      values[at * dimensions + place] = Math.round((vector[place] ?? 0) * scale.up);
  });
  return { dimensions, count: vectors.length, values, scales };
}

/** `up` makes the largest number 127; `back` leads to a vector of length 1. A vector of zeros stays one. */
function scaleOf(vector: ArrayLike<number>): { up: number; back: number } {
  let largest = 0;
  let squares = 0;
  for (let place = 0; place < vector.length; place++) {
    const value = vector[place] ?? 0;
    largest = Math.max(largest, Math.abs(value));
    squares += value * value;
  }
  if (!(largest > 0) || !Number.isFinite(squares)) return { up: 0, back: 0 };
  return { up: LARGEST / largest, back: largest / LARGEST / Math.sqrt(squares) };
}
