import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import type { Context } from './context.ts';
import { repeatFor, until } from './measure.ts';
import { count, describe } from './report.ts';

/** What the driver and the disk allow at all, for orientation. */
export async function measureLimits(context: Context): Promise<void> {
  const { client, report, seconds, memory } = context;
  memory.phase('bare limits');
  report.add('node:sqlite, one synced put of 1 kB a transaction', `${count(syncedPuts(context))}/s`);
  const ping = () => client.db().command({ ping: 1 });
  report.add('driver `ping`, 1 client', describe(await repeatFor(seconds, 1, ping)));
  report.add('driver `ping`, 32 clients', describe(await repeatFor(seconds, 32, ping)));
}

/** Synced transactions a second on the file system of the store, without the store. */
function syncedPuts({ directory, seconds }: Context): number {
  const path = join(directory, 'raw.sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE documents (record INTEGER PRIMARY KEY, body BLOB NOT NULL)');
  const put = database.prepare('INSERT INTO documents (body) VALUES (?)');
  const body = Buffer.alloc(1000, 'x');
  const wanted = until(seconds);
  const startedAt = performance.now();
  let done = 0;
  for (; wanted(); done++) put.run(body);
  const elapsed = performance.now() - startedAt;
  database.close();
  rmSync(path);
  return (done * 1000) / elapsed;
}
