export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, swcrc: false },
    ],
  },
  testTimeout: 30_000,
  maxWorkers: 2,
  // What a file has loaded is never freed: without this the collector takes over half of the time in the end.
  workerIdleMemoryLimit: '1GB',
};
