import type { Collection } from 'mongodb';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { type ReachDependencies, reachUpstream } from '../reach.ts';
import type { UpstreamTarget } from '../target.ts';
import { type Era, type UpstreamConnection, UpstreamProblem } from '../upstream/index.ts';
import { type CatalogueDiff, diffCatalogue } from './diff.ts';
import type { CapabilityDocument, CatalogueDocument, ServerDescription } from './documents.ts';
import { instructionsHash, suspicionIn } from './judge.ts';
import { type OfferedCapability, readOffers } from './read.ts';

/** An integration whose server is to be read. */
export type SyncTarget = UpstreamTarget & { organisationId: string };

/** A definition that is another one than before. */
export type DefinitionChange = {
  organisationId: string;
  mcpIntegrationId: string;
  /** Null for the instructions of the server. */
  capability: Pick<CapabilityDocument, '_id' | 'type' | 'name'> | null;
  previousHash: string;
  hash: string;
  isQuarantined: boolean;
};

export type SyncDependencies = ReachDependencies & {
  catalogues(): Collection<CatalogueDocument>;
  capabilities(): Collection<CapabilityDocument>;
  /** Told of each change of what models read. */
  onChange(change: DefinitionChange): Promise<void>;
  /** Told once what a server offers is written. */
  published(): Promise<void>;
  now(): Date;
  /** Milliseconds between two readings. */
  everyMs: number;
  log: Logger;
};

/** Milliseconds for one whole reading. */
const PATIENCE_MS = 60_000;
/** Milliseconds after which a server of the older era is asked again whether it has become a modern one. */
const LEGACY_MS = 86_400_000;
const MAX_TEXT = 32_768;

/**
 * Reads a server and writes what it offers. A reading that fails keeps what was known, and says why. Never rejects because
 * of the server.
 */
export async function syncCatalogue(target: SyncTarget, dependencies: SyncDependencies): Promise<void> {
  const { catalogues, now, log } = dependencies;
  const filter = { _id: target.id, organisationId: target.organisationId };
  const known = await catalogues().findOneAndUpdate(filter, {
    $set: { syncStatus: 'syncing', nextSyncAt: nextTime(now(), dependencies.everyMs) },
  });
  if (!known) return;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const found = await readServer(target, dependencies, eraToTry(known, now()), signal);
    await writeCatalogue(target, dependencies, known, found);
  } catch (error) {
    const isOwn = !(error instanceof UpstreamProblem);
    if (isOwn)
      log.error({ error, mcpIntegration: target.id }, 'What an MCP server offers could not be kept.');
    else log.info({ mcpIntegration: target.id, fault: error.fault }, 'An MCP server could not be read.');
    const syncError = isOwn ? 'what the server offers could not be kept' : error.message;
    await catalogues().updateOne(filter, {
      $set: { syncStatus: 'failed', syncError, lastUpdatedAt: now() },
    });
  }
  await dependencies.published();
}

/** Not all servers are read at the same moment. */
const nextTime = (now: Date, everyMs: number): Date =>
  new Date(now.getTime() + everyMs * (0.9 + Math.random() * 0.1));

function eraToTry({ era, eraAt }: CatalogueDocument, now: Date): Era | null {
  const isOld = era === 'legacy' && now.getTime() - (eraAt?.getTime() ?? 0) > LEGACY_MS;
  return isOld ? null : era;
}

type Found = { server: Omit<UpstreamConnection, 'request' | 'close'>; offers: OfferedCapability[] };

async function readServer(
  target: SyncTarget,
  dependencies: ReachDependencies,
  era: Era | null,
  signal: AbortSignal,
): Promise<Found> {
  const server = await reachUpstream(target, dependencies, { signal, era });
  try {
    const { offers } = await readOffers(server);
    return { server, offers };
  } finally {
    await server.close();
  }
}

async function writeCatalogue(
  target: SyncTarget,
  { catalogues, capabilities, onChange, now: clock }: SyncDependencies,
  known: CatalogueDocument,
  { server, offers }: Found,
): Promise<void> {
  const now = clock();
  const { organisationId, id: mcpIntegrationId, configurations } = target;
  const owner = {
    ...{ organisationId, mcpIntegrationId, isFirst: known.lastSyncedAt === null },
    isPerUser: target.authType === 'oauth_auto',
    pin: configurations.pin ?? 'warn',
    newCapabilities: configurations.new_capabilities ?? 'enabled',
  };
  const before = await capabilities().find({ organisationId, mcpIntegrationId }).toArray();
  const diff = diffCatalogue(owner, before, offers, now);
  await writeDiff(capabilities(), diff);
  const instructions = server.instructions?.slice(0, MAX_TEXT) ?? null;
  const hash = instructionsHash(instructions);
  const areInstructionsHeld = owner.pin === 'block' && mustBeHeld(known, { instructions, hash });
  const isNew =
    diff.written.length > 0 ||
    diff.removed.length > 0 ||
    hash !== known.instructionsHash ||
    areInstructionsHeld !== (known.areInstructionsHeld ?? false);
  const { matchedCount } = await catalogues().updateOne(
    { _id: mcpIntegrationId, organisationId },
    {
      $set: {
        ...{ syncStatus: 'success', syncError: null, lastSyncedAt: now, lastUpdatedAt: now },
        server: describedServer(server.serverInfo),
        protocolVersion: server.protocolVersion,
        ...{ era: server.era, ...(server.era !== known.era && { eraAt: now }) },
        capabilityFlags: JSON.stringify(server.capabilities).slice(0, MAX_TEXT),
        ...{ instructions, instructionsHash: hash, areInstructionsHeld },
      },
      ...(isNew && { $inc: { revision: 1 } }),
    },
  );
  // The integration was deleted while its server was read.
  if (matchedCount === 0) await capabilities().deleteMany({ organisationId, mcpIntegrationId });
  const told = { organisationId, mcpIntegrationId };
  for (const { previousHash, ...capability } of diff.changed)
    await onChange({ ...told, capability, previousHash: previousHash ?? '', ...judgedAs(capability) });
  const { instructionsHash: previousHash } = known;
  if (previousHash !== null && hash !== null && hash !== previousHash && owner.pin !== 'off')
    await onChange({ ...told, capability: null, previousHash, hash, isQuarantined: areInstructionsHeld });
}

/** Whether callers may not get what a server says of its use, where descriptions are pinned. */
function mustBeHeld(
  { lastSyncedAt, instructionsHash: before, areInstructionsHeld = false }: CatalogueDocument,
  { instructions, hash }: { instructions: string | null; hash: string | null },
): boolean {
  const isOther = lastSyncedAt !== null && hash !== before;
  return instructions !== null && (areInstructionsHeld || isOther || suspicionIn(instructions) !== null);
}

const judgedAs = ({ hash, isQuarantined }: Pick<CapabilityDocument, 'hash' | 'isQuarantined'>) => ({
  hash,
  isQuarantined,
});

async function writeDiff(
  capabilities: Collection<CapabilityDocument>,
  { written, removed }: CatalogueDiff,
): Promise<void> {
  const writes = written.map(({ _id, enabled, createdAt, ...members }) => ({
    updateOne: {
      filter: { _id, organisationId: members.organisationId },
      // Somebody may have set the switch while the server was read.
      update: { $set: members, $setOnInsert: { enabled, createdAt } },
      upsert: true,
    },
  }));
  if (writes.length > 0) await capabilities.bulkWrite(writes, { ordered: false });
  if (removed.length > 0) await capabilities.deleteMany({ _id: { $in: removed } });
}

/** What a server says of itself; texts of another kind are left out. */
function describedServer(info: JsonObject): ServerDescription {
  const text = (name: string) => {
    const value = info[name];
    return typeof value === 'string' ? value.slice(0, 2048) : null;
  };
  const icons = Array.isArray(info.icons) ? info.icons.filter(isObject).slice(0, 20) : [];
  return {
    name: text('name'),
    version: text('version'),
    title: text('title'),
    description: text('description'),
    websiteUrl: text('websiteUrl'),
    icons: JSON.stringify(icons).length > MAX_TEXT ? '[]' : JSON.stringify(icons),
  };
}
