import type { Connection } from 'mongoose';
import { nativeDb } from '../../../storage/native-db.ts';
import type { InstallationFacts, RunningFacts } from '../../installation-facts.ts';
import type { StorageKind } from '../../types.generated.ts';
import { firstOrganisationId, hasOwner } from '../sign-in-link/index.ts';

export function createInstallationFacts(db: Connection, running: () => RunningFacts): InstallationFacts {
  const organisationId = untilKnown(() => firstOrganisationId(db));
  return {
    running,
    organisationId,
    // An organisation that has an owner keeps one.
    hasOwner: untilKnown(async () => {
      const id = await organisationId();
      return id !== null && hasOwner(db, id);
    }),
    storage: untilKnown(() => storageKind(db)),
  };
}

/** Asks until the answer is neither null nor false; that one stays. */
function untilKnown<T>(ask: () => Promise<T>): () => Promise<T> {
  let known: T | null = null;
  return async () => {
    if (known) return known;
    const answer = await ask();
    if (answer) known = answer;
    return answer;
  };
}

/** Workers reach the embedded store by an address, as they would any other database. */
async function storageKind(db: Connection): Promise<StorageKind> {
  const { gitVersion } = await nativeDb(db).admin().command({ buildInfo: 1 });
  return gitVersion === 'embedded' ? 'embedded' : 'mongodb';
}
