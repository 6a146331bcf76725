import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { heardInTime, inTime, LateError } from '../../src/lib/in-time.ts';

const never = new Promise<never>(() => undefined);

/** Work that takes so long that nothing else has its turn. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('work that does not end in time is late', async () => {
  await expect(inTime(never, 20)).rejects.toThrow(LateError);
  await expect(heardInTime(never, 20)).rejects.toThrow('No answer within 20 ms.');
});

test('an answer that lay there while this process was busy is heard', async () => {
  const heard = heardInTime(readFile(import.meta.filename, 'utf8'), 100);
  block(300);
  expect(await heard).toContain('heardInTime');
});
