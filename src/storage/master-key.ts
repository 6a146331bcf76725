import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from 'mongoose';

/**
 * The key that protects all secrets at rest: from the settings, else from `encryption.key` in the data directory. It
 * is made only when the database is new, since a new key could not read the secrets of an older one.
 */
export async function loadMasterKey(
  dataDirectory: string,
  configured: Buffer | null,
  isNewDatabase: boolean,
): Promise<Buffer> {
  if (configured) return configured;
  const file = join(dataDirectory, 'encryption.key');
  if (!isNewDatabase) return readKeyFile(file);
  try {
    // `wx` lets one of several starting processes win; the others read what it wrote.
    await writeFile(file, `${randomBytes(32).toString('base64')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readKeyFile(file);
}

/** The master key of an installation that was started before. */
export const readMasterKey = (dataDirectory: string, configured: Buffer | null): Promise<Buffer> =>
  configured ? Promise.resolve(configured) : readKeyFile(join(dataDirectory, 'encryption.key'));

async function readKeyFile(file: string): Promise<Buffer> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw new Error(
      `${file} is missing, and the database was set up with an encryption key: put your copy of it there, or set ENCRYPTION_KEY.`,
      { cause },
    );
  });
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes in base64.`);
  return key;
}

type Installation = { _id: 'installation'; keyFingerprint: string };

const installations = (db: Connection) => db.collection<Installation>('installation');

/** Refuses to run on a database whose secrets were written under another master key. */
export async function checkMasterKey(db: Connection, fingerprint: string): Promise<void> {
  await installations(db).updateOne(
    { _id: 'installation' },
    { $setOnInsert: { keyFingerprint: fingerprint } },
    { upsert: true },
  );
  if (await isOwnKey(db, fingerprint)) return;
  throw new Error(
    'The database was set up with another encryption key. Give this process the same ENCRYPTION_KEY (or the same DATA_DIR/encryption.key).',
  );
}

/** False when the database was set up with another master key. */
export async function isOwnKey(db: Connection, fingerprint: string): Promise<boolean> {
  const known = await installations(db).findOne({ _id: 'installation' });
  return known === null || known.keyFingerprint === fingerprint;
}
