// The order of test files where no earlier run has left their durations, as on a fresh clone: Jest takes the largest first, but files
// that start and kill processes are small and take long, and one that comes last leaves the other workers without work.
import { readFileSync } from 'node:fs';
import testSequencer from '@jest/test-sequencer';

const Sequencer = testSequencer.default ?? testSequencer;

/** A file that is only run at full length, or that asks for more time than others have. */
const isSlow = ({ path }) =>
  path.endsWith('.long.test.ts') || readFileSync(path, 'utf8').includes('jest.setTimeout(');

export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const first = new Set(sorted.filter((test) => test.duration === undefined && isSlow(test)));
    return [...first, ...sorted.filter((test) => !first.has(test))];
  }
}
