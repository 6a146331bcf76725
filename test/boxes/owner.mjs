// Opens a box that computes without end, and writes the number of its process.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBoxes } from '../../src/boxes/index.ts';

const interpreter = `${dirname(createRequire(import.meta.url).resolve('pyodide'))}/`;
const [directory, name] = process.argv.slice(2);
const snapshot = join(directory, name);
const boxes = createBoxes(directory);
const box = await boxes.open({ program: 'python', readable: [interpreter, snapshot], memoryBytes: 2 ** 29 });
await box.ask({ head: { type: 'start', interpreter, snapshot }, timeMs: 60_000 });
await box.ask({
  head: { type: 'run', code: 'print(1, flush=True)\nwhile True: pass', logBytes: 1000 },
  timeMs: 600_000,
  onPart: () => process.stdout.write(`${box.pid}\n`),
});
