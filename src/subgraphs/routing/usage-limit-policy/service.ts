import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { givenBehaviour, requireUsageBehaviour } from '../../limits/behaviour.ts';
import { checkedTerms } from '../../limits/usage-terms.ts';
import { loaderById } from '../../loading.ts';
import type { SortedPageArguments } from '../../page.ts';
import type {
  CreateUsageLimitPolicyInput,
  QueryUsageLimitPoliciesArgs,
  UpdateUsageLimitPolicyInput,
} from '../../types.generated.ts';
import {
  archivePolicy,
  changePolicy,
  listPolicies,
  type PolicyKind,
  parseConditions,
  parseGroups,
  policyPlace,
  readPolicy,
} from '../limit-policy/index.ts';
import { resetValue } from './entities.ts';
import { type UsageLimitPolicyDocument, usageLimitPolicyModel } from './model.ts';
import { countedUsageLimit } from './to-limit.ts';

const kind: PolicyKind = { counts: 'usage', target: 'llm' };

const store = { modelOf: usageLimitPolicyModel, limitOf: countedUsageLimit };

const policyById = loaderById(usageLimitPolicyModel, tenantFilter);

export async function getUsagePolicy(
  context: GraphContext,
  id: string,
  status: UsageLimitPolicyDocument['status'] | null,
) {
  const policy = await readPolicy(context, usageLimitPolicyModel, id, { scope: 'policies.read', status });
  return { ...policy, isAlone: true };
}

/** For references from other resources: null when the policy is gone or out of the credential's reach. */
export async function referencedUsagePolicy(context: GraphContext, id: string) {
  requireScope(context.principal, ['policies.read']);
  return policyById(context).load(id);
}

export const listUsagePolicies = (
  context: GraphContext,
  args: QueryUsageLimitPoliciesArgs & SortedPageArguments,
) => listPolicies(context, usageLimitPolicyModel, args, { ...(args.type && { type: args.type }) });

export async function createUsagePolicy(context: GraphContext, input: CreateUsageLimitPolicyInput) {
  const place = await policyPlace(context, input);
  const terms = checkedTerms(
    {
      type: input.type,
      creditLimit: input.creditLimit,
      alertThreshold: input.alertThreshold ?? null,
      periodicReset: input.periodicReset ?? null,
      periodicResetDays: input.periodicResetDays ?? null,
      nextUsageResetAt: input.nextUsageResetAt ?? null,
    },
    'input',
    context.now(),
  );
  requireUsageBehaviour(input, 'input');
  const created = await usageLimitPolicyModel(context.db).create({
    _id: uuid(),
    ...place,
    name: input.name ?? null,
    description: input.description ?? null,
    conditions: parseConditions(input.conditions, kind),
    groupBy: parseGroups(input.groupBy, kind),
    ...terms,
    ...givenBehaviour(input),
  });
  await context.changes.publish('limit');
  return created.toObject<UsageLimitPolicyDocument>();
}

export async function updateUsagePolicy(
  context: GraphContext,
  id: string,
  input: UpdateUsageLimitPolicyInput,
): Promise<UsageLimitPolicyDocument> {
  const updated = await changePolicy(context, store, id, (present) => {
    const terms = checkedTerms(changedTerms(present, input), 'input', context.now());
    requireUsageBehaviour(input, 'input');
    return {
      ...(input.name != null && { name: input.name }),
      ...(input.description !== undefined && { description: input.description }),
      ...(input.conditions != null && { conditions: parseConditions(input.conditions, kind) }),
      ...terms,
      version: present.version + (terms.creditLimit === present.creditLimit ? 0 : 1),
      ...givenBehaviour(input),
    };
  });
  if (input.resetUsageForValue != null) await resetValue(context, updated, input.resetUsageForValue);
  return updated;
}

/** A period that an update names takes the place of the one of the other kind. */
function changedTerms(present: UsageLimitPolicyDocument, input: UpdateUsageLimitPolicyInput) {
  const { periodicReset, periodicResetDays, nextUsageResetAt } = input;
  const days = periodicResetDays === undefined && periodicReset != null ? null : periodicResetDays;
  const calendar = periodicReset === undefined && periodicResetDays != null ? null : periodicReset;
  const after = {
    type: present.type,
    creditLimit: input.creditLimit ?? present.creditLimit,
    alertThreshold: input.alertThreshold === undefined ? present.alertThreshold : input.alertThreshold,
    periodicReset: calendar === undefined ? present.periodicReset : calendar,
    periodicResetDays: days === undefined ? present.periodicResetDays : days,
  };
  // What days were counted from means nothing to another period.
  const kept = after.periodicResetDays === null ? null : present.nextUsageResetAt;
  return { ...after, nextUsageResetAt: nextUsageResetAt === undefined ? kept : nextUsageResetAt };
}

export const deleteUsagePolicy = (context: GraphContext, id: string): Promise<string> =>
  archivePolicy(context, usageLimitPolicyModel, id);
