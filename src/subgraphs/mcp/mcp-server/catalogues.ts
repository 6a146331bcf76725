import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import type { CapabilityDocument, CatalogueDocument } from '../../../mcp/catalogue/index.ts';
import type { UpstreamHello, UsableCapability } from '../../../mcp/snapshot/index.ts';
import { mcpCapabilityModel, mcpCatalogueModel } from '../mcp-capability/index.ts';

/** A catalogue as the integration lets every workspace have it. */
export type ReadyCatalogue = {
  revision: number;
  hello: UpstreamHello | null;
  /** In the order of the server. */
  usable: UsableCapability[];
  /** Places of what the integration keeps back. */
  keptBack: string[];
};

/** Catalogues that a process keeps: one may hold five thousand definitions. */
const KEPT = 1000;

/** Reads catalogues by integration, and each revision once. */
export function createCatalogueReader(db: Connection) {
  const kept = new LRUCache<string, ReadyCatalogue>({ max: KEPT });
  return async (integrationIds: readonly string[]): Promise<Map<string, ReadyCatalogue>> => {
    const known = await mcpCatalogueModel(db)
      .find({ _id: { $in: [...new Set(integrationIds)] } })
      .lean<CatalogueDocument[]>();
    const stale = known.filter(({ _id, revision }) => kept.get(_id)?.revision !== revision);
    const rows = await capabilitiesOf(
      db,
      stale.map(({ _id }) => _id),
    );
    for (const catalogue of stale) kept.set(catalogue._id, ready(catalogue, rows.get(catalogue._id) ?? []));
    return new Map(
      known.flatMap((catalogue) => {
        const found = kept.get(catalogue._id);
        return found ? [[catalogue._id, { ...found, hello: helloOf(catalogue) }] as const] : [];
      }),
    );
  };
}

async function capabilitiesOf(
  db: Connection,
  integrationIds: readonly string[],
): Promise<Map<string, CapabilityDocument[]>> {
  if (integrationIds.length === 0) return new Map();
  const found = await mcpCapabilityModel(db)
    .find({ mcpIntegrationId: { $in: integrationIds } })
    .sort({ position: 1, _id: 1 })
    .lean<CapabilityDocument[]>();
  return Map.groupBy(found, ({ mcpIntegrationId }) => mcpIntegrationId);
}

const isUsable = ({ enabled, isQuarantined, hidden, missingSince }: CapabilityDocument): boolean =>
  enabled && !isQuarantined && hidden === null && missingSince === null;

const ready = (catalogue: CatalogueDocument, rows: readonly CapabilityDocument[]): ReadyCatalogue => ({
  revision: catalogue.revision,
  hello: helloOf(catalogue),
  usable: rows.filter(isUsable).map(({ type, name, key, definition, hash }) => ({
    ...{ type, name, key, hash },
    definition: JSON.parse(definition),
  })),
  keptBack: rows.filter((row) => !isUsable(row)).map(({ type, key }) => `${type} ${key}`),
});

const helloOf = ({
  lastSyncedAt,
  era,
  protocolVersion,
  capabilityFlags,
  instructions,
  areInstructionsHeld = false,
  server,
  syncStatus,
}: CatalogueDocument): UpstreamHello | null =>
  lastSyncedAt === null
    ? null
    : {
        era,
        protocolVersion,
        instructions: areInstructionsHeld ? null : instructions,
        server,
        capabilities: JSON.parse(capabilityFlags),
        isStale: syncStatus === 'failed',
      };
