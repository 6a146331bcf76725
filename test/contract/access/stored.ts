import type { Tenant, TestApp } from '../../support/app.ts';
import { CALLER } from './callers.ts';

/** Written beside the resources: trails, and what keeps processes in step. */
const beside = ['audit_heads', 'audit_logs', 'events', 'leases', 'revisions'];

/** All documents of a tenant but its callers' own, as text by `<collection> <id>`. */
export async function storedDocuments(app: TestApp, tenant: Tenant): Promise<Record<string, string>> {
  const { organisationId, tsgId } = tenant;
  const filter = {
    name: { $ne: CALLER },
    $or: [{ organisationId }, { tsgId }, { ancestors: tsgId }, { _id: { $in: [organisationId, tsgId] } }],
  };
  const collections = (await app.db.listCollections()).filter(({ name }) => !beside.includes(name));
  const found = await Promise.all(
    collections.map(async ({ name }) => {
      const documents = await app.db
        .collection(name)
        .find(filter as object)
        .toArray();
      return documents.map((document) => [`${name} ${document._id}`, JSON.stringify(document)]);
    }),
  );
  return Object.fromEntries(found.flat());
}

/** What was made, changed or deleted since then. */
export async function changedSince(
  before: Record<string, string>,
  app: TestApp,
  tenant: Tenant,
): Promise<string[]> {
  const after = await storedDocuments(app, tenant);
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
}
