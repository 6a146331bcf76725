// `npm run bench:store`: the embedded store in a process of its own, measured through the driver against its budgets.
// Prints a table. Measures only; with --check a missed budget is a failure.
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Context, connect, smallSize } from './context.ts';
import { measureGroups } from './groups.ts';
import { measureInserts } from './inserts.ts';
import { measureInterference } from './interference.ts';
import { measureLimits } from './limits.ts';
import { MemoryWatch } from './memory.ts';
import { measurePoints } from './points.ts';
import { count, Report } from './report.ts';
import { measureRestarts } from './restart.ts';
import { startServer } from './server.ts';

const { values: options } = parseArgs({
  options: {
    /** 100,000 documents instead of a million. */
    quick: { type: 'boolean', default: false },
    /** Leaves the data directory in place. */
    keep: { type: 'boolean', default: false },
    /** Where the data directory is made. */
    dir: { type: 'string', default: tmpdir() },
    check: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  await mkdir(options.dir, { recursive: true });
  const directory = await mkdtemp(join(options.dir, 'store-bench-'));
  const report = new Report();
  const memory = new MemoryWatch();
  try {
    const server = await startServer(directory);
    memory.watch(server.pid);
    const context: Context = {
      directory,
      server,
      client: connect(server.uri),
      report,
      memory,
      largeSize: options.quick ? smallSize : 1_000_000,
      seconds: options.quick ? 2 : 5,
    };
    try {
      await measureAll(context);
    } finally {
      await context.client.close();
      await context.server.stop();
    }
    memory.report(report);
    report.add('size of the files at the end', `${count((await bytesIn(directory)) / 1e6)} MB`);
  } finally {
    memory.stop();
    if (options.keep) console.error(`The data stays in ${directory}.`);
    else await rm(directory, { recursive: true, force: true });
  }
  report.print();
  if (options.check && report.missed > 0) process.exitCode = 1;
}

async function measureAll(context: Context): Promise<void> {
  await measureLimits(context);
  await measureInserts(context);
  await measurePoints(context);
  await measureGroups(context);
  await measureInterference(context);
  await measureRestarts(context);
}

async function bytesIn(directory: string): Promise<number> {
  const files = await readdir(directory);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

await main();
