import type { Connection } from 'mongoose';
import { createDuty, type Duty } from '../../storage/duty.ts';
import type { Leases } from '../../storage/leases.ts';
import { type SyncDependencies, type SyncTarget, syncCatalogue } from './sync.ts';

export type UpkeepDependencies = SyncDependencies & {
  db: Connection;
  leases: Leases;
  /** The integrations with these ids as they are now; those that are gone are missing. */
  targets(ids: readonly string[]): Promise<SyncTarget[]>;
};

/** Servers that are read at the same time. */
const AT_ONCE = 4;
const BATCH = 20;

/** Reads the servers of all integrations every ten minutes, and what was changed at once; one process does it. */
export function createCatalogueUpkeep(dependencies: UpkeepDependencies): Duty {
  const { catalogues, now } = dependencies;
  const due = () => ({ nextSyncAt: { $lte: now() } });
  return createDuty({
    name: 'mcp catalogues',
    db: dependencies.db,
    leases: dependencies.leases,
    log: dependencies.log,
    isDue: async () => (await catalogues().findOne(due(), { projection: { _id: 1 } })) !== null,
    async work(signal) {
      while (!signal.aborted) {
        const rows = await catalogues().find(due()).sort({ nextSyncAt: 1 }).limit(BATCH).toArray();
        if (rows.length === 0) return;
        const ids = rows.map(({ _id }) => _id);
        const targets = await dependencies.targets(ids);
        await orphaned(dependencies, ids, targets);
        for (let start = 0; start < targets.length && !signal.aborted; start += AT_ONCE)
          await Promise.all(
            targets.slice(start, start + AT_ONCE).map((target) => syncCatalogue(target, dependencies)),
          );
      }
    },
  });
}

/** Whatever is left of an integration that is gone is due for ever: it goes too. */
async function orphaned(
  { catalogues, capabilities }: SyncDependencies,
  ids: readonly string[],
  targets: readonly SyncTarget[],
): Promise<void> {
  const gone = ids.filter((id) => !targets.some((target) => target.id === id));
  if (gone.length === 0) return;
  await capabilities().deleteMany({ mcpIntegrationId: { $in: gone } });
  await catalogues().deleteMany({ _id: { $in: gone } });
}
