import type { Connection } from 'mongoose';
import type { Limit } from '../../../limits/limit.ts';
import {
  type OrganisationDocument,
  limitOwner as organisationLimitOwner,
  organisationModel,
} from '../../identity/organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../../identity/workspace/index.ts';
import { limitsOf } from '../../limits/to-limit.ts';
import {
  limitOfRatePolicy,
  type RateLimitPolicyDocument,
  rateLimitPolicyModel,
} from '../rate-limit-policy/index.ts';
import {
  limitOfUsagePolicy,
  type UsageLimitPolicyDocument,
  usageLimitPolicyModel,
} from '../usage-limit-policy/index.ts';

type WorkspaceRow = Pick<WorkspaceDocument, '_id' | 'organisationId' | 'slug' | 'usageLimits' | 'rateLimits'>;
const BATCH = 100;
const oldestFirst = { workspaceId: 1, status: 1, createdAt: 1 } as const;

type OrganisationRow = Pick<OrganisationDocument, '_id' | 'name' | 'usageLimits' | 'rateLimits'>;

/** What holds for all calls of each workspace, by its id. */
export async function loadWorkspaceLimits(
  db: Connection,
  workspaceIds: string[],
): Promise<Map<string, readonly Limit[]>> {
  const workspaces = await workspaceModel(db)
    .find({ _id: { $in: workspaceIds } }, { organisationId: 1, slug: 1, usageLimits: 1, rateLimits: 1 })
    .lean<WorkspaceRow[]>();
  const ofOrganisations = await organisationLimits(
    db,
    workspaces.map(({ organisationId }) => organisationId),
  );
  const byPolicies = await policyLimits(db, workspaces);
  return new Map(
    workspaces.map((workspace) => {
      const { _id, organisationId, slug } = workspace;
      const owner = { level: 'workspace' as const, id: _id, organisationId, workspaceId: _id, name: slug };
      const shared = ofOrganisations.get(organisationId) ?? [];
      return [_id, [...shared, ...limitsOf(owner, workspace), ...(byPolicies.get(_id) ?? [])]];
    }),
  );
}

/** Read in batches, between which requests are served: a workspace may have tens of thousands. */
async function policyLimits(
  db: Connection,
  workspaces: readonly WorkspaceRow[],
): Promise<Map<string, Limit[]>> {
  const found = new Map<string, Limit[]>(workspaces.map(({ _id }) => [_id, []]));
  const byId = new Map(workspaces.map((workspace) => [workspace._id, workspace]));
  const filter = { workspaceId: { $in: [...byId.keys()] }, status: 'active' as const };
  const usage = usageLimitPolicyModel(db).find(filter).sort(oldestFirst).lean<UsageLimitPolicyDocument[]>();
  for await (const policy of usage.cursor({ batchSize: BATCH })) {
    const workspace = byId.get(policy.workspaceId);
    if (workspace) found.get(workspace._id)?.push(limitOfUsagePolicy(policy, workspace));
  }
  const rates = rateLimitPolicyModel(db).find(filter).sort(oldestFirst).lean<RateLimitPolicyDocument[]>();
  for await (const policy of rates.cursor({ batchSize: BATCH })) {
    const workspace = byId.get(policy.workspaceId);
    if (workspace) found.get(workspace._id)?.push(limitOfRatePolicy(policy, workspace));
  }
  return found;
}

async function organisationLimits(db: Connection, ids: string[]): Promise<Map<string, readonly Limit[]>> {
  const found = await organisationModel(db)
    .find({ _id: { $in: [...new Set(ids)] } }, { name: 1, usageLimits: 1, rateLimits: 1 })
    .lean<OrganisationRow[]>();
  return new Map(
    found.map((organisation) => {
      return [organisation._id, limitsOf(organisationLimitOwner(organisation), organisation)];
    }),
  );
}
