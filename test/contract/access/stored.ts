import type { Tenant } from '../../support/app.ts';
import type { CountedApp } from '../../support/counted-app.ts';
import { CALLER } from './callers.ts';

/** Written beside the resources: trails, and what keeps processes in step. */
const beside = ['audit_heads', 'audit_logs', 'events', 'leases', 'revisions'];

/** Request logs come in over another connection, whose commands the app does not report. */
const ofOtherConnections = 'logs';

/** All documents of a tenant but its callers' own, as text by `<collection> <id>`. */
export type StoredDocuments = Record<string, string>;

/** What a tenant has. Only the collections that somebody wrote to since the last look are read again. */
export function watchStored(
  app: CountedApp,
  { organisationId, tsgId }: Tenant,
): () => Promise<StoredDocuments> {
  const filter: object = {
    name: { $ne: CALLER },
    $or: [{ organisationId }, { tsgId }, { ancestors: tsgId }, { _id: { $in: [organisationId, tsgId] } }],
  };
  const known = new Map<string, StoredDocuments>();
  app.onWrite((collection) => known.delete(collection));

  async function read(name: string): Promise<StoredDocuments> {
    const unchanged = known.get(name);
    if (unchanged && name !== ofOtherConnections) return unchanged;
    const stored: StoredDocuments = {};
    // A write in the middle of the read takes it away again.
    known.set(name, stored);
    for (const document of await app.db.collection(name).find(filter).toArray())
      stored[`${name} ${document._id}`] = JSON.stringify(document);
    return stored;
  }

  return async () => {
    const names = (await app.db.listCollections()).map(({ name }) => name);
    const found = await Promise.all(names.filter((name) => !beside.includes(name)).map(read));
    return Object.assign({}, ...found);
  };
}

/** What was made, changed or deleted between two looks. */
export const changedBetween = (before: StoredDocuments, after: StoredDocuments): string[] =>
  Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
