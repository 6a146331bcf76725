import type { Connection } from 'mongoose';
import { cacheEntryModel } from '../dataplane/cache/model.ts';
import { circuitModel } from '../dataplane/strategy/breaker/index.ts';
import { stickyTargetModel } from '../dataplane/strategy/sticky.ts';
import { keptAnswerModel } from '../storage/kept-answers.ts';
import { leaseModel } from '../storage/leases.ts';
import { signingKeyModel } from '../storage/signing-keys/index.ts';
import { subgraphs } from '../subgraphs/index.ts';

const resources = subgraphs.flatMap((subgraph) => subgraph.resources);

/** Makes every collection and index that is not there yet. */
export async function ensureCollections(connection: Connection): Promise<void> {
  const models = [
    ...resources.flatMap((resource) => resource.models),
    leaseModel,
    keptAnswerModel,
    circuitModel,
    stickyTargetModel,
    signingKeyModel,
    cacheEntryModel,
  ];
  // All at once, so that the store makes them durable in few writes. One after the other, they took half of the
  // start.
  await Promise.all(
    models.map(async (modelOf) => {
      const model = modelOf(connection);
      await model.createCollection();
      await model.createIndexes();
    }),
  );
}

/** The resources that are deleted with a workspace or an organisation, and those whose names the audit log shows. */
export const ownership = {
  workspaceOwned: resources
    .filter((resource) => resource.ownedByWorkspace)
    .flatMap((resource) => resource.models),
  organisationOwned: resources
    .filter((resource) => resource.ownedByWorkspace || resource.ownedByOrganisation)
    .flatMap((resource) => resource.models),
  audited: new Map(
    resources.flatMap(({ name, models: [model], reach }) =>
      model ? [[name.replaceAll('-', '_'), { model, reach }] as const] : [],
    ),
  ),
};
