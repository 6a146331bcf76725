import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { startProcess } from '../../test/support/process.ts';
import { startStore } from '../prove-limits/store.ts';
import { ask, callerOf, MB, upload } from './upload.ts';

const COLLECTIONS = ['gridfs_files.files', 'gridfs_files.chunks', 'file_contents'];
/** Milliseconds after which the repair takes an unfinished content for given up, and some more. */
const GIVEN_UP_MS = 4 * 3_600_000;

/** How many files, chunks and known contents a database has. */
const stored = async (db: Pick<Db, 'collection'>): Promise<number[]> =>
  Promise.all(COLLECTIONS.map((name) => db.collection(name).countDocuments({})));

/**
 * Cuts an upload into the database, kills the service under another one, and lets the next service find what is left as if hours
 * had gone by. The database is a process of its own, so that it can be looked into meanwhile.
 */
export async function proveBroken(expect: (holds: boolean, what: string) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-files-'));
  const data = join(directory, 'data');
  await mkdir(data);
  const store = await startStore(join(directory, 'store'), undefined);
  const env = { CONTENTS_IN_DATABASE: 'true', MONGODB_URI: store.uri };
  const client = await MongoClient.connect(store.uri);
  let sluice = await startProcess(data, env);
  /** Waits until the file of three chunks is all there is. */
  const hasKept = async () => {
    const isAlone = async () => (await stored(client.db())).join() === '1,3,1';
    for (let tries = 0; tries < 600 && !(await isAlone()); tries++) await sleep(100);
    return isAlone();
  };
  try {
    const kept = await upload(await callerOf(data, sluice), 3 * MB);
    await upload(await callerOf(data, sluice), 200 * MB, { breaksAfter: 64 * MB });
    expect(await hasKept(), 'a broken upload into the database leaves nothing');
    const beforeBreak = () => sluice.kill('SIGKILL');
    await upload(await callerOf(data, sluice), 200 * MB, { breaksAfter: 64 * MB, beforeBreak });
    const [files = 0, chunks = 0, known = 0] = await stored(client.db());
    expect(
      files === 1 && chunks > 3 && known === 2,
      `a killed upload leaves ${chunks - 3} chunks, and an entry of them`,
    );
    const late = { $set: { changedAt: new Date(Date.now() - GIVEN_UP_MS) } };
    await client.db().collection('file_contents').updateMany({}, late);
    sluice = await startProcess(data, env);
    expect(await hasKept(), 'the next service removes them, and keeps the file that was whole');
    const read = await ask(await callerOf(data, sluice), `/files/${kept?.body.id}/content`);
    expect((await read.arrayBuffer()).byteLength === 3 * MB, 'which is read as before');
  } finally {
    await sluice.kill('SIGTERM');
    await client.close();
    await store.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
