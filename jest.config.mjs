import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Processes and threads that tests start share what Node compiles for them, as starts by `npm start` do.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/sluice');

// Each worker keeps its store here. Jest kills workers that have grown, so that only this process can take the files away.
const stores = mkdtempSync(join(tmpdir(), 'sluice-test-stores-'));
process.env.SLUICE_TEST_STORES = stores;
process.once('exit', () => rmSync(stores, { recursive: true, force: true, maxRetries: 3 }));

/** Tests that kill and starve processes, or walk large spaces: `npm run test:long` runs them, and so does whoever names one. */
const isLong = Boolean(process.env.LONG_TESTS) || process.argv.some((given) => given.includes('.long.test'));

export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These need a browser, and have a configuration of their own.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/console-browser/',
    ...(isLong ? [] : ['\\.long\\.test\\.ts$']),
  ],
  testEnvironment: 'node',
  runtime: '<rootDir>/test/support/runtime.mjs',
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, swcrc: false },
    ],
  },
  // A test that hangs ends here. No test is about time, and a machine that others share may be ten times slower than a quiet one.
  testTimeout: 120_000,
  // One more than the two cores that this is timed on: many tests wait for a disk, a process or a clock.
  maxWorkers: 3,
  // A worker keeps growing from file to file: one had 2.8 GB after some forty of them.
  workerIdleMemoryLimit: '1GB',
};
