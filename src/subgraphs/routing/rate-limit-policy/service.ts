import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { givenRateBehaviour } from '../../limits/behaviour.ts';
import { loaderById } from '../../loading.ts';
import type { SortedPageArguments } from '../../page.ts';
import type {
  CreateRateLimitPolicyInput,
  QueryRateLimitPoliciesArgs,
  UpdateRateLimitPolicyInput,
} from '../../types.generated.ts';
import {
  archivePolicy,
  changePolicy,
  listPolicies,
  parseConditions,
  parseGroups,
  policyPlace,
  readPolicy,
} from '../limit-policy/index.ts';
import { type RateLimitPolicyDocument, rateLimitPolicyModel } from './model.ts';
import { countedRateLimit } from './to-limit.ts';

const store = { modelOf: rateLimitPolicyModel, limitOf: countedRateLimit };

const policyById = loaderById(rateLimitPolicyModel, tenantFilter);

export const getRatePolicy = (
  context: GraphContext,
  id: string,
  status: RateLimitPolicyDocument['status'] | null,
) => readPolicy(context, rateLimitPolicyModel, id, { scope: 'policies.read', status });

/** For references from other resources: null when the policy is gone or out of the credential's reach. */
export async function referencedRatePolicy(context: GraphContext, id: string) {
  requireScope(context.principal, ['policies.read']);
  return policyById(context).load(id);
}

export const listRatePolicies = (
  context: GraphContext,
  args: QueryRateLimitPoliciesArgs & SortedPageArguments,
) => {
  const { type, unit, target } = args;
  return listPolicies(context, rateLimitPolicyModel, args, {
    ...(type && { type }),
    ...(unit && { unit }),
    ...(target && { target }),
  });
};

export async function createRatePolicy(context: GraphContext, input: CreateRateLimitPolicyInput) {
  const place = await policyPlace(context, input);
  const { type, unit, value } = input;
  const target = input.target ?? 'llm';
  const kind = { counts: 'rate', target } as const;
  const created = await rateLimitPolicyModel(context.db).create({
    _id: uuid(),
    ...place,
    name: input.name ?? null,
    description: input.description ?? null,
    conditions: parseConditions(input.conditions, kind),
    groupBy: parseGroups(input.groupBy, kind),
    ...{ type, unit, value, target },
    ...givenRateBehaviour(input),
  });
  await context.changes.publish('limit');
  return created.toObject<RateLimitPolicyDocument>();
}

export const updateRatePolicy = (context: GraphContext, id: string, input: UpdateRateLimitPolicyInput) =>
  changePolicy(context, store, id, (present) => {
    const value = input.value ?? present.value;
    const unit = input.unit ?? present.unit;
    const kind = { counts: 'rate', target: present.target } as const;
    return {
      ...(input.name != null && { name: input.name }),
      ...(input.description !== undefined && { description: input.description }),
      ...(input.conditions != null && { conditions: parseConditions(input.conditions, kind) }),
      ...{ unit, value },
      version: present.version + (value === present.value && unit === present.unit ? 0 : 1),
      ...givenRateBehaviour(input),
    };
  });

export const deleteRatePolicy = (context: GraphContext, id: string): Promise<string> =>
  archivePolicy(context, rateLimitPolicyModel, id);
