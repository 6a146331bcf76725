import type { QueryFilter } from 'mongoose';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { CounterDocument } from '../../../limits/counters/document.ts';
import { counterId, counterOfEntity, entityOf, windowAt } from '../../../limits/counters/window.ts';
import { limitCounterModel } from '../../../limits/engine/index.ts';
import type { Limit } from '../../../limits/limit.ts';
import type { GraphContext } from '../../context.ts';
import { resetCounterOf } from '../../limits/reset.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QueryUsageLimitPolicyEntitiesArgs, UsageLimitEntity } from '../../types.generated.ts';
import { policyToChange, readPolicy } from '../limit-policy/index.ts';
import { type UsageLimitPolicyDocument, usageLimitPolicyModel } from './model.ts';
import { countedUsageLimit } from './to-limit.ts';

/** Nanodollars of a dollar. */
const NANO = 1e9;

const spanOf = (limit: Limit, now: Date) => windowAt(limit.window, now.getTime());

/** The values that a policy has counted in its present period, in the order of their keys. */
export async function listEntities(
  context: GraphContext,
  { policyId, status, search, ...page }: QueryUsageLimitPolicyEntitiesArgs & PageArguments,
): Promise<{ total: number; data: UsageLimitEntity[] }> {
  const policy = await readPolicy(context, usageLimitPolicyModel, policyId, {
    scope: 'policies.read',
    status: null,
  });
  const limit = countedUsageLimit(policy);
  const { total, data } = await findPage<CounterDocument>(
    limitCounterModel(context.db),
    {
      organisationId: policy.organisationId,
      limitId: limit.id,
      from: spanOf(limit, context.now()).from,
      ...(status && { fill: status === 'exhausted' ? { $gte: limit.amount } : { $lt: limit.amount } }),
      ...(search && { valueKey: { $regex: escaped(search), $options: 'i' } }),
    } as QueryFilter<CounterDocument>,
    page,
    { by: { valueKey: 1, _id: 1 } },
  );
  return { total, data: data.map((counter) => shown(counter, limit)) };
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const shown = ({ _id, valueKey, fill, cap }: CounterDocument, { unit }: Limit): UsageLimitEntity => ({
  id: entityOf(_id),
  valueKey,
  currentUsage: unit === 'cost' ? fill / NANO : fill,
  status: fill >= cap ? 'exhausted' : 'active',
});

/** Sets what one value has used back to nothing; answers the id of the policy. */
export async function resetEntity(context: GraphContext, policyId: string, id: string): Promise<string> {
  const policy = await policyToChange(context, usageLimitPolicyModel, policyId, 'policies.update');
  if (!(await resetIfThere(context, policy, (limit, span) => [counterOfEntity(limit, id, span)])))
    throw new GatewayError('NOT_FOUND', { message: 'The policy has counted nothing for this entity.' });
  return policy._id;
}

/**
 * Sets what a value has used back to nothing, by its value key, the id of its entity or, where the policy has one group, the
 * value alone.
 */
export async function resetValue(
  context: GraphContext,
  policy: UsageLimitPolicyDocument,
  value: string,
): Promise<void> {
  const [group, ...others] = policy.groupBy;
  const keys = [value, ...(group && others.length === 0 ? [`${group.key}:${value}`] : [])];
  const isThere = await resetIfThere(context, policy, (limit, span) => [
    ...keys.map((key) => counterId(limit, key, span)),
    counterOfEntity(limit, value, span),
  ]);
  if (!isThere)
    throw invalidInput(
      'input.resetUsageForValue',
      'The policy has counted nothing for this value: name the value_key or the id of one of its entities.',
    );
}

/** Resets the first of the counters that exists. */
async function resetIfThere(
  context: GraphContext,
  policy: UsageLimitPolicyDocument,
  idsOf: (limit: Limit, span: ReturnType<typeof spanOf>) => string[],
): Promise<boolean> {
  const { organisationId } = policy;
  const limit = countedUsageLimit(policy);
  const span = spanOf(limit, context.now());
  const candidates = await limitCounterModel(context.db)
    .find({ organisationId, limitId: limit.id, _id: { $in: idsOf(limit, span) } })
    .lean<CounterDocument[]>();
  const [counter] = candidates;
  return counter !== undefined && resetCounterOf(context, limit, counter._id);
}
