import type { Connection, Model, QueryFilter, UpdateQuery } from 'mongoose';
import { GatewayError } from '../../../errors/index.ts';
import type { Limit } from '../../../limits/limit.ts';
import type { GraphContext } from '../../context.ts';
import { bindEdits } from '../../limits/edited.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { policyToChange } from './find.ts';
import type { StoredPolicy } from './stored.ts';

const ATTEMPTS = 5;

/** What a kind of policies is kept in, and the limit that one of them is. */
export type PolicyStore<T extends StoredPolicy> = {
  modelOf: (db: Connection) => Model<T>;
  limitOf: (policy: T) => Limit;
};

/**
 * Changes a policy by what `change` makes of it as it is stored. Where somebody else changed it in between, `change` is asked
 * again: what it checks holds for the policy that is written.
 */
export async function changePolicy<T extends StoredPolicy>(
  context: GraphContext,
  { modelOf, limitOf }: PolicyStore<T>,
  id: string,
  change: (present: T) => Partial<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const present = await policyToChange(context, modelOf, id, 'policies.update');
    const { _id, organisationId, version, lastUpdatedAt } = present;
    const updated = await modelOf(context.db)
      .findOneAndUpdate(
        {
          ...{ _id, organisationId, status: 'active', version, lastUpdatedAt },
          ...ifUnchanged(context),
        } as QueryFilter<T>,
        change(present) as UpdateQuery<T>,
        { returnDocument: 'after' },
      )
      .lean<T>();
    if (updated) {
      await bindEdits(context, [limitOf(present)], [limitOf(updated)]);
      await context.changes.publish('limit');
      return updated;
    }
    if (context.unchangedSince) break;
  }
  throw notWritten(
    context,
    new GatewayError('ALREADY_EXISTS', {
      message: 'The policy is being changed by others; read it again and retry.',
    }),
  );
}
