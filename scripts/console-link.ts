import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { localUrl } from '../src/lib/http/local-url.ts';
import { readSettings, type Settings } from '../src/settings/index.ts';
import { openStorage } from '../src/storage/connection.ts';
import { findEmbedded } from '../src/storage/embedded/index.ts';
import { checkMasterKey, readMasterKey } from '../src/storage/master-key.ts';
import { createSecrets } from '../src/storage/secrets.ts';
import {
  firstOrganisationId,
  makeSetUpLink,
  makeSignInLink,
  OWN_LINK_MS,
  setUpLinkTo,
  signInLinkTo,
} from '../src/subgraphs/identity/sign-in-link/index.ts';
import { type UserDocument, userModel } from '../src/subgraphs/identity/user/index.ts';

const USAGE = 'Usage: npm run console:link [-- --user <email>]';

/**
 * `npm run console:link`: prints a link that works once within 15 minutes. It makes the first owner while there is none,
 * and else signs in the owner, or with `-- --user <email>` that user. Runs beside the service, or without it.
 */
async function main(args: string[]): Promise<string[]> {
  const email = readEmail(args);
  const settings = readSettings();
  const { dataDirectory, mongodbUri, encryptionKey } = settings.storage;
  const running = mongodbUri ?? (await findEmbedded(join(dataDirectory, 'store')));
  const secrets = createSecrets(await readMasterKey(dataDirectory, encryptionKey));
  const storage = await openStorage({ dataDirectory, mongodbUri: running });
  try {
    const { db } = storage;
    await checkMasterKey(db, secrets.fingerprint);
    const maker = { db, secrets, now: () => new Date() };
    const address = addressOf(settings);
    const setUp = email === null ? await makeSetUpLink(maker) : null;
    if (setUp !== null) return [setUpLinkTo(address, setUp)];
    const links = (await usersFor(db, email)).map(async ({ _id: userId, organisationId }) => {
      const wanted = { organisationId, userId, createdBy: null, livesMs: OWN_LINK_MS };
      return signInLinkTo(address, (await makeSignInLink(maker, wanted)).secret);
    });
    return await Promise.all(links);
  } finally {
    await storage.stop();
  }
}

function readEmail(args: string[]): string | null {
  try {
    return parseArgs({ args, options: { user: { type: 'string' } } }).values.user ?? null;
  } catch {
    throw new Error(USAGE);
  }
}

const addressOf = ({ identity, listen }: Settings): string =>
  identity.publicUrl ?? localUrl(listen.host, listen.port);

/** An address may be that of a user in several organisations: there is a link for each. */
async function usersFor(db: Connection, email: string | null): Promise<UserDocument[]> {
  const filter =
    email === null
      ? { organisationId: (await firstOrganisationId(db)) ?? '', role: 'owner' as const }
      : { email: email.toLowerCase() };
  const found = await userModel(db).find(filter).sort({ createdAt: 1 }).lean<UserDocument[]>();
  if (found.length > 0) return email === null ? found.slice(0, 1) : found;
  throw new Error(
    email === null
      ? 'No service has been started on this database yet: start it first.'
      : `No user has the address ${email}.`,
  );
}

try {
  for (const link of await main(process.argv.slice(2))) console.log(link);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
