import { fileURLToPath } from 'node:url';

/** What boxes keep on disk is made once for all tests, as what Node.js compiles is. */
export const boxesDirectory = fileURLToPath(
  new URL('../../node_modules/.cache/sluice-boxes', import.meta.url),
);
