import type { Connection, Model, QueryFilter } from 'mongoose';
import { requireScope, type Scope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { requireLimitSetter } from '../../identity/api-key/index.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import type { StoredPolicy } from './stored.ts';

type ModelOf<T> = (db: Connection) => Model<T>;
type Status = StoredPolicy['status'];

export const policyNotFound = () => new GatewayError('NOT_FOUND', { message: 'The policy does not exist.' });

/** A policy of the caller's that has the status, or any status for null. */
export async function readPolicy<T extends StoredPolicy>(
  context: GraphContext,
  modelOf: ModelOf<T>,
  id: string,
  { scope, status }: { scope: Scope; status: Status | null },
): Promise<T> {
  const principal = requireScope(context.principal, [scope]);
  const found = await modelOf(context.db)
    .findOne({ _id: id, ...tenantFilter(principal), ...(status && { status }) } as QueryFilter<T>)
    .lean<T>();
  if (!found) throw policyNotFound();
  return found;
}

/** An active policy that the caller may change. */
export async function policyToChange<T extends StoredPolicy>(
  context: GraphContext,
  modelOf: ModelOf<T>,
  id: string,
  scope: Scope,
): Promise<T> {
  const found = await readPolicy(context, modelOf, id, { scope, status: 'active' });
  await requireLimitSetter(context);
  return found;
}

/** Keeps the policy for the record: it is enforced no more. */
export async function archivePolicy<T extends StoredPolicy>(
  context: GraphContext,
  modelOf: ModelOf<T>,
  id: string,
): Promise<string> {
  const { _id, organisationId } = await policyToChange(context, modelOf, id, 'policies.delete');
  const { matchedCount } = await modelOf(context.db).updateOne(
    { _id, organisationId, status: 'active', ...ifUnchanged(context) } as QueryFilter<T>,
    { status: 'archived' },
  );
  if (matchedCount === 0) throw notWritten(context, policyNotFound());
  await context.changes.publish('limit');
  return _id;
}
