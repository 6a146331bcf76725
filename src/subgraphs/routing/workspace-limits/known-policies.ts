import type { Filter } from 'mongodb';
import type { Connection, Model, QueryFilter } from 'mongoose';
import { grownCache } from '../../../lib/grown-cache.ts';
import type { Limit } from '../../../limits/limit.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { PolicyWorkspace, StoredPolicy } from '../limit-policy/index.ts';
import { type KnownPolicy, PolicyWalk } from './policy-walk.ts';

/** How a kind of policies is read. */
type PolicyKind<T extends StoredPolicy> = {
  modelOf: (db: Connection) => Model<T>;
  limitOf: (policy: T, workspace: PolicyWorkspace) => Limit;
};

/** `slug`: of the workspace, by which conditions may name it. */
type KnownWorkspace = { slug: string; policies: ReadonlyMap<string, KnownPolicy> };

type Stamp = { _id: string; workspaceId?: string; lastUpdatedAt: Date };

const NO_POLICIES: ReadonlyMap<string, KnownPolicy> = new Map();
const WORKSPACES = 20_000;
const BATCH = 100;
const STAMP_BATCH = 500;
const oldestFirst = { workspaceId: 1, status: 1, createdAt: 1 } as const;

/**
 * Reads the limits of active policies. Of a workspace that it has read before, it reads when each policy was last changed, and
 * only those in full that were: a workspace may have tens of thousands. All is read in batches, between which calls are served.
 */
export function createPolicyReader<T extends StoredPolicy>(
  db: Connection,
  { modelOf, limitOf }: PolicyKind<T>,
) {
  const known = grownCache<KnownWorkspace>(WORKSPACES);
  const active = (filter: object) => ({ ...filter, status: 'active' as const }) as QueryFilter<T>;
  const within = (workspaces: Workspaces) => ({ workspaceId: { $in: [...workspaces.keys()] } });

  /** Active ones that `filter` finds, into the places of their workspaces; answers their ids. */
  async function readInFull(filter: object, workspaces: Workspaces, found: Found): Promise<Set<string>> {
    const read = new Set<string>();
    const wanted = modelOf(db).find(active(filter)).sort(oldestFirst).lean<T[]>();
    for await (const each of wanted.cursor({ batchSize: BATCH })) {
      const policy = each as T;
      const workspace = workspaces.get(policy.workspaceId);
      const policies = found.get(policy.workspaceId);
      if (!workspace || !policies) continue;
      read.add(policy._id);
      const at = policy.lastUpdatedAt.getTime();
      if (policies.get(policy._id)?.at !== at)
        policies.set(policy._id, { id: policy._id, at, limit: limitOf(policy, workspace) });
    }
    return read;
  }

  /** Those of which all was known at an earlier time. */
  async function readChanged(workspaces: Workspaces, found: Found): Promise<void> {
    const changed = new Map<string, string>();
    // Of one workspace each stamp would say the same.
    const [only] = workspaces.size === 1 ? workspaces.keys() : [];
    const stamps = nativeDb(db)
      .collection<Stamp>(modelOf(db).collection.name)
      .find(active(within(workspaces)) as Filter<Stamp>, {
        projection: { lastUpdatedAt: 1, ...(only === undefined && { workspaceId: 1 }) },
      })
      .sort(oldestFirst)
      .batchSize(STAMP_BATCH);
    const walks = new Map(
      [...workspaces.keys()].map((id) => [id, new PolicyWalk(known.peek(id)?.policies ?? NO_POLICIES)]),
    );
    let walk: PolicyWalk | undefined;
    let current: string | undefined;
    // A batch at a time: a promise for each of tens of thousands costs more than what it brings.
    while (await stamps.hasNext()) {
      for (const { _id, workspaceId = only, lastUpdatedAt } of stamps.readBufferedDocuments()) {
        if (workspaceId === undefined) continue;
        if (workspaceId !== current) walk = walks.get(workspaceId);
        current = workspaceId;
        if (walk?.step(_id, lastUpdatedAt.getTime()) === false) changed.set(_id, workspaceId);
      }
    }
    const few = changed.size <= BATCH && { _id: { $in: [...changed.keys()] } };
    const touched = new Set(changed.values());
    for (const [id, each] of walks) found.set(id, each.end(!few || touched.has(id)));
    if (changed.size === 0) return;
    const read = await readInFull({ ...within(workspaces), ...few }, workspaces, found);
    // One that is not there was archived between the two reads.
    for (const [id, workspaceId] of changed) if (!read.has(id)) found.get(workspaceId)?.delete(id);
  }

  return async (workspaces: readonly PolicyWorkspace[]): Promise<Map<string, Limit[]>> => {
    const found: Found = new Map(workspaces.map(({ _id }) => [_id, new Map()]));
    const [old, fresh] = [true, false].map((wanted) =>
      byId(workspaces.filter(({ _id, slug }) => (known.get(_id)?.slug === slug) === wanted)),
    ) as [Workspaces, Workspaces];
    if (fresh.size > 0) await readInFull(within(fresh), fresh, found);
    if (old.size > 0) await readChanged(old, found);
    for (const { _id, slug } of workspaces) known.set(_id, { slug, policies: found.get(_id) ?? new Map() });
    return new Map(
      [...found].map(([id, policies]) => [id, [...policies.values()].map(({ limit }) => limit)]),
    );
  };
}

type Workspaces = ReadonlyMap<string, PolicyWorkspace>;
type Found = Map<string, Map<string, KnownPolicy>>;

const byId = (workspaces: readonly PolicyWorkspace[]): Workspaces =>
  new Map(workspaces.map((workspace) => [workspace._id, workspace]));
