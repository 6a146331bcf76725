import { existsSync } from 'node:fs';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { uuid } from '../lib/ids.ts';

/** `id` is made by the first start that finds none. */
type Installation = { _id: 'installation'; id?: string };

const installations = (db: Connection) => db.collection<Installation>('installation');

/** Beside the store: the id of the installation that the data directory belongs to. */
const noteIn = (dataDirectory: string): string => join(dataDirectory, 'installation');

/** The files that a first start leaves beside the store. */
const traces = ['installation', 'bootstrap.json', 'encryption.key'];

/**
 * Refuses an embedded store that was emptied. Call it before the store is opened, which would create an empty one:
 * the service would then start as new, without its data but with its old keys.
 */
export async function refuseEmptiedStore(dataDirectory: string): Promise<void> {
  const store = join(dataDirectory, 'store');
  const file = join(store, 'data.sqlite');
  const size = (await stat(file).catch(() => null))?.size ?? null;
  if (size) return;
  const left = traces.filter((name) => existsSync(join(dataDirectory, name)));
  if ((await readdir(join(dataDirectory, 'spool')).catch(() => [])).length > 0) left.push('spool');
  if (left.length === 0) return;
  throw new Error(
    `The data file ${file} is ${size === null ? 'missing' : 'empty'}, although ${dataDirectory} has ${listed(left)} of an installation: ` +
      `restore a backup, or remove ${listed(['store', ...left])} from there to begin anew.`,
  );
}

export type RecognisedInstallation = {
  /** True when nothing was ever set up in the database. */
  isNew: boolean;
  /** To be called once the database has been set up: from then on a store in the place of this one is noticed. */
  remember(): Promise<void>;
};

/** Refuses a database that is not, or no longer, the one that the data directory belongs to. */
export async function recogniseInstallation(
  { db, description }: { db: Connection; description: string },
  dataDirectory: string,
): Promise<RecognisedInstallation> {
  const note = noteIn(dataDirectory);
  const noted = existsSync(note) ? (await readFile(note, 'utf8')).trim() : null;
  const known = await installations(db).findOne({ _id: 'installation' });
  if (!known) refuseTraces(description, dataDirectory);
  if (known?.id && noted && known.id !== noted) {
    throw new Error(
      `The ${description} belongs to another installation than ${dataDirectory}: give this process the right one, ` +
        `or remove ${note} to go on with this one.`,
    );
  }
  return {
    isNew: known === null,
    async remember() {
      const unnamed = { _id: 'installation' as const, id: { $exists: false } };
      if (!known?.id) await installations(db).updateOne(unnamed, { $set: { id: noted ?? uuid() } });
      const id = known?.id ?? (await installations(db).findOne({ _id: 'installation' }))?.id;
      if (id && id !== noted) await write(note, id);
    },
  };
}

/**
 * An operator may have put the key there before the first start; the other two files come from a start that set up a
 * database.
 */
function refuseTraces(description: string, dataDirectory: string): void {
  const left = ['installation', 'bootstrap.json'].filter((name) => existsSync(join(dataDirectory, name)));
  if (left.length === 0) return;
  throw new Error(
    `The ${description} is empty, although ${dataDirectory} has ${listed(left)} of an installation: ` +
      `restore a backup, or remove ${listed(left)} from there to begin anew.`,
  );
}

async function write(file: string, id: string): Promise<void> {
  const part = `${file}.${process.pid}`;
  await writeFile(part, `${id}\n`, { mode: 0o600, flush: true });
  await rename(part, file);
}

const listed = (names: string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');
