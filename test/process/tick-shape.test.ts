import { expect, test } from '@jest/globals';
import { keepsTickShape, keepTickShape } from '../../src/process/tick-shape.ts';

test('an object of process.nextTick is kept, whose shape the engine then remembers', () => {
  expect(keepsTickShape()).toBe(false);
  keepTickShape();
  expect(keepsTickShape()).toBe(true);
});
