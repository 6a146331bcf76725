import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAuditNotes } from '../src/recording/audit/notes.ts';
import { type AuditNote, type ChainReport, verifyAuditTrail } from '../src/recording/audit/verification.ts';
import { readSettings, type Settings } from '../src/settings/index.ts';
import { openStorage, type Storage } from '../src/storage/connection.ts';
import { findEmbedded } from '../src/storage/embedded/index.ts';
import { isOwnKey, readMasterKey } from '../src/storage/master-key.ts';
import { nativeDb } from '../src/storage/native-db.ts';
import { createSecrets } from '../src/storage/secrets.ts';

const USAGE = 'Usage: npm run audit:verify [-- --expect <organisationId>:<sequence>:<hash> …]';

/** `npm run audit:verify`: looks for changed, missing and foreign entries in the audit trail; answers the exit code. */
async function main(args: string[]): Promise<number> {
  const given = readNotes(args);
  const { storage: settings } = readSettings();
  const { sign, fingerprint } = createSecrets(
    await readMasterKey(settings.dataDirectory, settings.encryptionKey),
  );
  const storage = await openExisting(settings);
  try {
    const db = nativeDb(storage.db);
    await requireOwnKey(storage, fingerprint);
    const notes = [...given, ...(await readAuditNotes(join(settings.dataDirectory, 'audit-heads')))];
    let entries = 0;
    let breaks = 0;
    for await (const report of verifyAuditTrail(db, (text) => sign('audit chain', text), notes)) {
      print(report);
      entries += report.entries;
      breaks += report.breakCount;
    }
    console.log(`${entries} entries, ${breaks === 0 ? 'no break' : `BREAKS: ${breaks}`}.`);
    return breaks === 0 ? 0 : 1;
  } finally {
    await storage.stop();
  }
}

function readNotes(args: string[]): AuditNote[] {
  const { values } = parseArgs({ args, options: { expect: { type: 'string', multiple: true } } });
  return (values.expect ?? []).map((text) => {
    const [, organisationId = '', sequence = '', hash = ''] =
      /^([^:]+):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
    if (!organisationId) throw new Error(`${text} is no <organisationId>:<sequence>:<hash>.`);
    return { organisationId, sequence: Number(sequence), hash };
  });
}

/** The database of the running service, or the embedded store of one that does not run. */
async function openExisting({ dataDirectory, mongodbUri }: Settings['storage']): Promise<Storage> {
  const store = join(dataDirectory, 'store');
  if (mongodbUri === null && !existsSync(store)) throw new Error(`There is no store in ${store}.`);
  return openStorage({ dataDirectory, mongodbUri: mongodbUri ?? (await findEmbedded(store)) });
}

/** With another key every entry would look altered. */
async function requireOwnKey({ db }: Storage, fingerprint: string): Promise<void> {
  if (!(await isOwnKey(db, fingerprint)))
    throw new Error('The database was set up with another encryption key: give this command the same.');
}

function print({ organisationId, entries, unchained, newest, breaks, breakCount }: ChainReport): void {
  const older = unchained > 0 ? `, and ${unchained} from before the chain` : '';
  console.log(`${organisationId}: ${entries} entries${older}`);
  for (const { sequence, what, detail } of breaks) console.log(`  ${what} at ${sequence}: ${detail}`);
  if (breakCount > breaks.length) console.log(`  … and ${breakCount - breaks.length} more`);
  if (newest) console.log(`  newest ${organisationId}:${newest.sequence}:${newest.hash}`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
