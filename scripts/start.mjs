// `npm start`: Sluice with bounded memory and a quick start. `src/main.ts` runs without all of this, and takes half as much
// memory again. Arguments go to Node.js: `npm start -- --inspect` opens its debugger.
import { join } from 'node:path';
import { replaceProcess } from './replace-process.mjs';

const root = join(import.meta.dirname, '..');

/** Variables of the environment; one that is set already stays as it is. */
const variables = {
  // Each arena of the C library keeps memory for itself: with one for each thread, the threads together keep too much.
  MALLOC_ARENA_MAX: '2',
  // A block of 128 KiB or more is a mapping of its own, which goes back to the system when it is freed.
  MALLOC_MMAP_THRESHOLD_: '131072',
  // 128 KiB that are free at the end of an arena go back to the system. Naming a threshold also keeps it from growing.
  MALLOC_TRIM_THRESHOLD_: '131072',
  // What Node.js has compiled is kept for the next start, which then takes a third less time and 20 to 30 MB less memory.
  NODE_COMPILE_CACHE: join('node_modules', '.cache', 'sluice'),
};

const flags = [
  // New objects get 16 MB twice: enough that the objects of a request die young and are never copied to the old ones.
  '--max-semi-space-size=16',
  // Old objects are collected once they have grown by a fifth, where V8 alone would wait until they have doubled.
  '--heap-growing-percent=20',
  // With pretenuring V8 takes the objects of many slow requests for lasting ones, and from then on collects without end.
  '--no-allocation-site-pretenuring',
  // Buffers are freed where they are collected: a thread of its own for that fights with this one for the allocator.
  '--no-concurrent-array-buffer-sweeping',
];

// The folder of the compile cache, and the default DATA_DIR, are relative to the checkout.
process.chdir(root);
replaceProcess(process.execPath, [...process.argv.slice(2), ...flags, 'src/main.ts'], {
  ...variables,
  // As in a shell's ${NAME:-value}: an empty variable counts as none.
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name, value]) => value !== '' || !(name in variables)),
  ),
});
