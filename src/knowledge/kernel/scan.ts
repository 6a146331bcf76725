import { assemble, type KernelSource } from './assemble.ts';

/**
 * Writes to `out` the dot product of `query` with each of `count` vectors that stand one behind the other from `vectors` on.
 * A vector has `stride` bytes, a multiple of 16; 16 of its numbers are multiplied at a time.
 */
const source: KernelSource = {
  name: 'scan',
  parameters: { vectors: 'i32', count: 'i32', stride: 'i32', query: 'i32', out: 'i32' },
  locals: { at: 'i32', end: 'i32', sum: 'v128' },
  body: `
    block
      local.get count
      i32.eqz
      br_if 0                        ; there are no vectors
      local.get query
      local.get stride
      i32.add
      local.set end
      loop                           ; over the vectors
        i32.const 0
        i32x4.splat
        local.set sum
        local.get query
        local.set at
        loop                         ; over the parts of a vector
          local.get vectors
          v128.load
          i16x8.extend_low_i8x16_s
          local.get at
          v128.load
          i16x8.extend_low_i8x16_s
          i32x4.dot_i16x8_s
          local.get vectors
          v128.load
          i16x8.extend_high_i8x16_s
          local.get at
          v128.load
          i16x8.extend_high_i8x16_s
          i32x4.dot_i16x8_s
          i32x4.add
          local.get sum
          i32x4.add
          local.set sum
          local.get vectors
          i32.const 16
          i32.add
          local.set vectors
          local.get at
          i32.const 16
          i32.add
          local.tee at
          local.get end
          i32.lt_u
          br_if 0
        end
        local.get out
        local.get sum
        i32x4.extract_lane 0
        local.get sum
        i32x4.extract_lane 1
        i32.add
        local.get sum
        i32x4.extract_lane 2
        i32.add
        local.get sum
        i32x4.extract_lane 3
        i32.add
        i32.store
        local.get out
        i32.const 4
        i32.add
        local.set out
        local.get count
        i32.const 1
        i32.sub
        local.tee count
        br_if 0
      end
    end`,
};

export type ScanRequest = { vectors: number; count: number; stride: number; query: number; out: number };
export type VectorScan = (request: ScanRequest) => void;

let module: WebAssembly.Module | null | undefined;

/** The scan over a memory: by the kernel, or in JavaScript where the runtime has no SIMD. */
export function createScan(memory: WebAssembly.Memory): VectorScan {
  module ??= compiled();
  if (!module) return scanInJavaScript(memory);
  const { exports } = new WebAssembly.Instance(module, { kernel: { memory } });
  const scan = exports.scan as (...parameters: number[]) => void;
  return ({ vectors, count, stride, query, out }) => scan(vectors, count, stride, query, out);
}

function compiled(): WebAssembly.Module | null {
  const bytes = assemble(source);
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null;
}

/** The same scan, slower: what the kernel is compared with. */
export const scanInJavaScript =
  (memory: WebAssembly.Memory): VectorScan =>
  ({ vectors, count, stride, query, out }) => {
    const values = new Int8Array(memory.buffer);
    const sums = new Int32Array(memory.buffer, out, count);
    for (let row = 0; row < count; row++) {
      const from = vectors + row * stride;
      let sum = 0;
      for (let at = 0; at < stride; at++) sum += (values[from + at] ?? 0) * (values[query + at] ?? 0);
      sums[row] = sum;
    }
  };
