import { expect, test } from '@jest/globals';
import { alone } from '../../../src/lib/bodies/alone.ts';

test('bytes that keep a slab get memory of their own', () => {
  const bytes = Buffer.from('Hello');
  expect(bytes.buffer.byteLength).toBeGreaterThan(bytes.length);
  const own = alone(bytes);
  expect(own.toString()).toBe('Hello');
  expect(own.buffer.byteLength).toBe(bytes.length);
});

test('bytes that are most of what they keep are not copied', () => {
  const bytes = Buffer.alloc(100_000, 'x');
  expect(alone(bytes)).toBe(bytes);
  const most = bytes.subarray(1000);
  expect(alone(most)).toBe(most);
});
