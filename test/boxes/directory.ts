import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What boxes keep on disk is made once for all tests of a run. */
export const boxesDirectory = join(process.env.SLUICE_TEST_STORES ?? tmpdir(), 'boxes');
