import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import type { Interpreter } from '../../src/boxes/python/interpreter.ts';
import { createInterpreters } from '../../src/boxes/python/interpreters.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { eventually } from '../support/eventually.ts';

const never = new AbortController().signal;

/** Interpreters that only note what they are asked, and go on with a cell as `pace` does. */
function keepingWarm(pace: (cell: number) => Promise<unknown> = async () => {}) {
  const made: { cells: string[]; isBusy: boolean; isOpen: boolean }[] = [];
  const start = async () => {
    const interpreter = {
      cells: [] as string[],
      isBusy: false,
      isOpen: true,
      async run(code: string) {
        if (interpreter.isBusy) throw new Error('A box answers one question at a time.');
        interpreter.isBusy = true;
        interpreter.cells.push(code);
        await pace(interpreter.cells.length);
        interpreter.isBusy = false;
      },
      async close() {
        interpreter.isOpen = false;
      },
    };
    made.push(interpreter);
    return interpreter as unknown as Interpreter;
  };
  const log = createLogger('silent');
  return { made, ...createInterpreters({ start, keepsWarm: true, log }) };
}

it('one that is kept ready has run cells before anybody takes it, and one that starts on demand has not', async () => {
  const { made, take, stop } = keepingWarm();
  await take(never);
  expect(made[0]?.cells).toEqual([]);
  await eventually(async () => expect(made[1]?.cells.at(-1)).toBe(''));
  expect(await take(never)).toBe(made[1]);
  await stop();
});

it('one that is wanted while it warms up is handed over after the cell that it runs', async () => {
  const reached = new EventTarget();
  const goesOn = new EventTarget();
  const { made, take, stop } = keepingWarm(async (cell) => {
    if (cell !== 3) return;
    reached.dispatchEvent(new Event('third'));
    await once(goesOn, 'again');
  });
  const third = once(reached, 'third');
  await take(never);
  await third;
  const taken = take(never);
  goesOn.dispatchEvent(new Event('again'));
  expect(await taken).toBe(made[1]);
  expect(made[1]).toMatchObject({ isBusy: false, isOpen: true });
  // The fourth is the empty one, which clears the texts of the others away.
  expect(made[1]?.cells).toHaveLength(4);
  expect(made[1]?.cells.at(-1)).toBe('');
  await stop();
});
