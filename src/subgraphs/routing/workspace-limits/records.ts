import type { Connection } from 'mongoose';
import type { Limit } from '../../../limits/limit.ts';
import {
  type OrganisationDocument,
  limitOwner as organisationLimitOwner,
  organisationModel,
} from '../../identity/organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../../identity/workspace/index.ts';
import { limitsOf } from '../../limits/to-limit.ts';
import { limitOfRatePolicy, rateLimitPolicyModel } from '../rate-limit-policy/index.ts';
import { limitOfUsagePolicy, usageLimitPolicyModel } from '../usage-limit-policy/index.ts';
import { createPolicyReader } from './known-policies.ts';

type WorkspaceRow = Pick<WorkspaceDocument, '_id' | 'organisationId' | 'slug' | 'usageLimits' | 'rateLimits'>;

type OrganisationRow = Pick<OrganisationDocument, '_id' | 'name' | 'usageLimits' | 'rateLimits'>;

/** Answers what holds for all calls of each workspace, by its id. */
export function createWorkspaceLimitsLoader(db: Connection) {
  const usagePolicies = createPolicyReader(db, {
    modelOf: usageLimitPolicyModel,
    limitOf: limitOfUsagePolicy,
  });
  const ratePolicies = createPolicyReader(db, { modelOf: rateLimitPolicyModel, limitOf: limitOfRatePolicy });
  return async (workspaceIds: string[]): Promise<Map<string, readonly Limit[]>> => {
    const workspaces = await workspaceModel(db)
      .find({ _id: { $in: workspaceIds } }, { organisationId: 1, slug: 1, usageLimits: 1, rateLimits: 1 })
      .lean<WorkspaceRow[]>();
    const ofOrganisations = await organisationLimits(
      db,
      workspaces.map(({ organisationId }) => organisationId),
    );
    const usage = await usagePolicies(workspaces);
    const rates = await ratePolicies(workspaces);
    return new Map(
      workspaces.map((workspace) => {
        const { _id, organisationId, slug } = workspace;
        const owner = { level: 'workspace' as const, id: _id, organisationId, workspaceId: _id, name: slug };
        const shared = ofOrganisations.get(organisationId) ?? [];
        const own = limitsOf(owner, workspace);
        return [_id, [...shared, ...own, ...(usage.get(_id) ?? []), ...(rates.get(_id) ?? [])]];
      }),
    );
  };
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
