import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rounds } from '../../support/long.ts';
import type { Mix } from './fuzz/documents.ts';
import { Random } from './fuzz/random.ts';
import { Twins } from './fuzz/twins.ts';
import { type Running, startServer } from './support.ts';

/**
 * Random questions over random documents: with indexes, without and by the oracle the answers must be the same.
 * Each seed fills four pairs of collections, asks, changes the documents and asks again.
 */
let running: Running;

beforeAll(async () => {
  running = await startServer();
});
afterAll(() => running.stop());

const mixes: Mix[] = [
  { arrays: false, decimals: false, rare: false },
  { arrays: true, decimals: false, rare: false },
  { arrays: false, decimals: true, rare: true },
  { arrays: true, decimals: true, rare: true },
];

test.each([1, 2, 3, 4, 5].slice(0, rounds(1, 5)))(
  'seed %d: in 4000 questions an index never changes an answer, nor is it other than the manual says',
  async (seed) => {
    const random = new Random(seed);
    let judged = 0;
    for (const [i, mix] of mixes.entries()) {
      const twins = new Twins(running.db, random, mix, `seed ${seed}, mix ${i}`);
      await twins.fill();
      await twins.ask(600);
      await twins.change(60);
      await twins.ask(400);
      if (twins.mismatches.length > 0) throw new Error(twins.mismatches.slice(0, 3).join('\n\n'));
      judged += twins.judged;
    }
    expect(judged).toBeGreaterThan(2000);
  },
  120_000,
);
