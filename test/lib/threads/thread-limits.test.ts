import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const source = join(import.meta.dirname, '../../../src/lib/threads/thread-limits.ts');

/** Prints how large, in MB, the heap of a thread with 64 MB and a young generation of 3 may become, by how it is given that. */
const program = `
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  import { threadLimits } from ${JSON.stringify(source)};
  const limits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 3 };
  const code = "import { parentPort } from 'node:worker_threads'; import { getHeapStatistics } from 'node:v8';" +
    'parentPort.postMessage(getHeapStatistics().heap_size_limit / 2 ** 20)';
  for (const given of [() => limits, () => threadLimits(limits)]) {
    const [most] = await once(new Worker(code, { eval: true, resourceLimits: given() }), 'message');
    console.log(most);
  }
`;

test("a thread keeps to its own young generation where the process sets the main thread's", async () => {
  const flags = ['--max-semi-space-size=16', '--input-type=module', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program]);
  const [overridden, kept] = stdout.trim().split('\n').map(Number);
  expect(overridden).toBeGreaterThan(67);
  expect(kept).toBe(67);
});
