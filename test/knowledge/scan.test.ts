import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { Matrix } from '../../src/knowledge/index/matrix.ts';
import { createScan, scanInJavaScript } from '../../src/knowledge/kernel/scan.ts';

const SIZE = 1024 * 1024;
const [query, out, vectors] = [0, 8192, 65_536];

describe('the kernel', () => {
  it('computes what the scan in JavaScript computes', () => {
    const memory = new WebAssembly.Memory({ initial: SIZE / 65_536, maximum: SIZE / 65_536 });
    const values = new Int8Array(memory.buffer);
    const [fast, slow] = [createScan(memory), scanInJavaScript(memory)];
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 16 }).map((parts) => parts * 16),
        fc.integer(),
        (count, stride, seed) => {
          let state = seed >>> 0;
          for (const at of [query, vectors])
            for (let place = 0; place < (at === query ? stride : count * stride); place++) {
              state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
              values[at + place] = (state >>> 24) - 128;
            }
          const scanned = [fast, slow].map((scan) => {
            new Int32Array(memory.buffer, out, count + 1).fill(7);
            scan({ vectors, count, stride, query, out });
            return [...new Int32Array(memory.buffer, out, count + 1)];
          });
          expect(scanned[0]).toEqual(scanned[1]);
          expect(scanned[0]?.at(-1)).toBe(7);
        },
      ),
    );
  });
});

/** A vector of normal numbers that follow from a seed. */
function vectorOf(seed: number, dimensions: number): number[] {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return Array.from({ length: dimensions }, () => next() + next() + next() - 1.5);
}

const length = (vector: number[]) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
const cosine = (one: number[], other: number[]) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) / length(one) / length(other);

const append = (matrix: Matrix, [file, firstChunk]: [number, number], vectors: number[][]) =>
  matrix.append({ file, firstChunk, lengths: vectors.map(() => 7) }, quantise(vectors));

describe('the matrix', () => {
  it.each([7, 256, 1024])('finds with whole numbers what floats find, of %i dimensions', (dimensions) => {
    const stored = Array.from({ length: 500 }, (_, at) => vectorOf(at + 1, dimensions));
    const matrix = new Matrix(dimensions);
    append(matrix, [1, 100], stored.slice(0, 250));
    append(matrix, [2, 350], stored.slice(250));
    for (const seed of [9001, 9002, 9003]) {
      const question = vectorOf(seed, dimensions);
      const exact = stored.map((vector) => cosine(vector, question));
      const found = matrix.nearest(quantise([question]), null, 10);
      for (const { chunk, similarity } of found)
        expect(Math.abs(similarity - (exact[chunk - 100] ?? 0))).toBeLessThan(0.02);
      const tenth = [...exact].sort((one, other) => other - one)[9] ?? 0;
      for (const { similarity } of found) expect(similarity).toBeGreaterThan(tenth - 0.02);
    }
  });

  it('leaves out files that are not allowed, and those that were dropped', () => {
    const matrix = new Matrix(32);
    const one = vectorOf(5, 32);
    for (const file of [1, 2, 3]) append(matrix, [file, file * 10], [one, vectorOf(file + 50, 32)]);
    const question = quantise([one]);
    const files = (allowed: Uint8Array | null) =>
      matrix
        .nearest(question, allowed, 3)
        .filter(({ similarity }) => similarity > 0.99)
        .map(({ chunk }) => chunk / 10);
    expect(files(null)).toEqual([1, 2, 3]);
    expect(files(Uint8Array.of(0, 1, 0, 1))).toEqual([1, 3]);
    matrix.drop(new Set([1]));
    expect(files(null)).toEqual([2, 3]);
    expect([20, 31, 10].map((chunk) => matrix.rows.rowOf(chunk))).toEqual([0, 3, -1]);
    expect([...matrix.rows.files.subarray(0, matrix.count)]).toEqual([2, 2, 3, 3]);
    expect(matrix.rows.meanLength).toBe(7);
  });
});
