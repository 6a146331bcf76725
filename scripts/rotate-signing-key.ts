import { join } from 'node:path';
import { createLogger } from '../src/lib/logger.ts';
import { readSettings } from '../src/settings/index.ts';
import { createChanges } from '../src/storage/changes.ts';
import { openStorage } from '../src/storage/connection.ts';
import { findEmbedded } from '../src/storage/embedded/index.ts';
import { createLeases } from '../src/storage/leases.ts';
import { checkMasterKey, readMasterKey } from '../src/storage/master-key.ts';
import { createSecrets } from '../src/storage/secrets.ts';
import { revokeAll, rotateNow } from '../src/storage/signing-keys/index.ts';

/**
 * `npm run rotate:signing-key`: makes the next key for access tokens, beside running services or without any.
 * `-- --revoke` lets it sign at once and drops all others, with every token that they signed.
 */
async function main(options: string[]): Promise<string> {
  const isRevocation = options.length === 1 && options[0] === '--revoke';
  if (options.length > 0 && !isRevocation) throw new Error('Usage: npm run rotate:signing-key [-- --revoke]');
  const { logLevel, storage: settings } = readSettings();
  const { dataDirectory, mongodbUri, encryptionKey } = settings;
  const running = mongodbUri ?? (await findEmbedded(join(dataDirectory, 'store')));
  const storage = await openStorage({ dataDirectory, mongodbUri: running });
  try {
    const { db } = storage;
    const log = createLogger(logLevel);
    const secrets = createSecrets(await readMasterKey(dataDirectory, encryptionKey));
    await checkMasterKey(db, secrets.fingerprint);
    const rotation = { db, secrets, leases: createLeases(log), now: () => new Date() };
    const key = await (isRevocation ? revokeAll(rotation) : rotateNow(rotation));
    await createChanges(db, log).publish('signing_key');
    return isRevocation
      ? `The key ${key._id} signs; all earlier keys and their tokens are refused.`
      : `The key ${key._id} is published and signs from ${key.signsFrom.toISOString()} on.`;
  } finally {
    await storage.stop();
  }
}

try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
