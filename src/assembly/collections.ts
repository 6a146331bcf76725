import { type Collection, type Db, type IndexDescription, MongoServerError } from 'mongodb';
import { oidcAnswerModel } from '../console/oidc/answered.ts';
import { cacheEntryModel } from '../dataplane/cache/model.ts';
import { circuitModel } from '../dataplane/strategy/breaker/index.ts';
import { stickyTargetModel } from '../dataplane/strategy/sticky.ts';
import { upstreamFlowModel } from '../mcp/connections/index.ts';
import { oauthClientModel, registrationCountModel, usedOnceModel } from '../mcp/oauth/index.ts';
import { mcpLinkModel, mcpReplyModel, mcpSessionModel, mcpVerdictModel } from '../mcp/session/index.ts';
import { keyUseModel } from '../recording/key-use/index.ts';
import { erasedRunModel } from '../runs/erasure/index.ts';
import { runInstanceModel } from '../runs/index.ts';
import { keptAnswerModel } from '../storage/kept-answers.ts';
import { leaseModel } from '../storage/leases.ts';
import type { ModelOf } from '../storage/model.ts';
import { signingKeyModel } from '../storage/signing-keys/index.ts';
import { fileContentModel } from '../subgraphs/assistants/file/index.ts';
import { subgraphs } from '../subgraphs/index.ts';

const resources = subgraphs.flatMap((subgraph) => subgraph.resources);

/** Makes every collection and index that is not there yet, and removes the indexes of earlier versions. */
export async function ensureCollections(db: Db): Promise<void> {
  const models = [
    ...new Set(resources.flatMap((resource) => resource.models)),
    leaseModel,
    keyUseModel,
    runInstanceModel,
    erasedRunModel,
    fileContentModel,
    keptAnswerModel,
    circuitModel,
    stickyTargetModel,
    signingKeyModel,
    cacheEntryModel,
    oidcAnswerModel,
    mcpSessionModel,
    mcpReplyModel,
    mcpLinkModel,
    mcpVerdictModel,
    oauthClientModel,
    registrationCountModel,
    usedOnceModel,
    upstreamFlowModel,
  ];
  // All at once, so that the store makes them durable in few writes. One after the other, they took half of the
  // start.
  await Promise.all(models.map((modelOf) => ensureCollection(db, modelOf)));
}

/**
 * In one command, since the first index makes the collection: a command for each index made four times as many. Without a model,
 * which takes longer to make than the command.
 */
// biome-ignore lint/suspicious/noExplicitAny: each model has its own document type
async function ensureCollection(db: Db, { schema, formerIndexes }: ModelOf<any>): Promise<void> {
  const name = schema.get('collection');
  if (name === undefined) throw new Error('A schema names no collection.');
  const indexes = schema.indexes().map(([key, options]) => ({ key, ...options }) as IndexDescription);
  if (indexes.length > 0) await db.collection(name).createIndexes(indexes);
  else await createCollection(db, name);
  if (formerIndexes.length > 0) await dropIndexes(db.collection(name), formerIndexes);
}

/** Those that are there; another process that starts at the same time may drop them, too. */
async function dropIndexes(collection: Collection, names: readonly string[]): Promise<void> {
  const found = await collection.listIndexes().toArray();
  for (const { name } of found.filter((index) => names.includes(index.name))) {
    await collection.dropIndex(name).catch((error: unknown) => {
      if (!hasCode(error, INDEX_NOT_FOUND)) throw error;
    });
  }
}

async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    if (!hasCode(error, NAMESPACE_EXISTS)) throw error;
  }
}

const INDEX_NOT_FOUND = 27;
const NAMESPACE_EXISTS = 48;
const hasCode = (error: unknown, code: number) => error instanceof MongoServerError && error.code === code;

/** The resources that keep a workspace or an organisation from being deleted, those that go with a workspace, and those whose names the audit log shows. */
export const ownership = {
  workspaceOwned: resources
    .filter((resource) => resource.ownedByWorkspace)
    .flatMap((resource) => resource.models),
  goingWithWorkspace: resources
    .filter((resource) => resource.goesWithWorkspace)
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
