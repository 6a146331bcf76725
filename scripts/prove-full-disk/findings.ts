import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStorage } from '../../src/storage/connection.ts';
import type { Callers } from './callers.ts';

const run = promisify(execFile);
const verifier = new URL('../audit-verify.ts', import.meta.url).pathname;

/** What is in a data directory whose service is stopped, measured by what its callers remember. */
export async function findingsIn(dataDirectory: string, { chats, configs, failed }: Callers) {
  const storage = await openStorage({ dataDirectory, mongodbUri: null });
  const texts = async (collection: string, field: string) =>
    (
      await storage.db
        .collection(collection)
        .find({})
        .project({ [field]: 1 })
        .toArray()
    ).map((document) => document[field] as string);
  const logs = await storage.db.collection('logs').countDocuments({});
  const names = new Set(await texts('configs', 'name'));
  const requests = await texts('audit_logs', 'requestId');
  await storage.stop();
  const audited = new Set(requests);
  return {
    logsLost: chats - logs,
    writesLost: configs.filter((name) => !names.has(name)).length,
    writesNotRefused: names.size - configs.length,
    entriesLost: failed.filter((id) => !audited.has(id)).length,
    entriesTwice: requests.length - audited.size,
    chain: await verify(dataDirectory),
    litter: await litterIn(dataDirectory),
  };
}

/** The last line of `npm run audit:verify`. */
async function verify(dataDirectory: string): Promise<string> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDirectory };
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', verifier], {
    env,
  }).catch((error: { stdout: string }) => error);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** What waits or was left behind, empty directories too. */
async function litterIn(dataDirectory: string): Promise<string[]> {
  const entries = [];
  for (const folder of ['spool', 'reserve'])
    for (const name of await readdir(join(dataDirectory, folder)).catch(() => []))
      if (!name.startsWith('free-')) entries.push(`${folder}/${name}`);
  const probe = join(dataDirectory, 'store/data.sqlite-probe');
  if (await stat(probe).catch(() => null)) entries.push('store/data.sqlite-probe');
  return entries;
}
