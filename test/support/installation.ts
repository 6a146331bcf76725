import type { Tenant, TestApp } from './app.ts';

/** Makes a tenant the one that the first start has made, who may see how the installation runs. */
export async function setUpBy({ db }: TestApp, { organisationId }: Pick<Tenant, 'organisationId'>) {
  await db
    .collection<{ _id: string }>('installation')
    .updateOne({ _id: 'installation' }, { $set: { seedOwner: organisationId } }, { upsert: true });
}
