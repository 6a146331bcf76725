import config from '../../jest.config.mjs';

/** `npm run test:console`: the tests that drive a browser. They share one service, which scripts/test-console.ts starts. */
export default {
  ...config,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/console-browser/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Two cores are to serve the browsers as well.
  maxWorkers: 2,
  testTimeout: 120_000,
};
