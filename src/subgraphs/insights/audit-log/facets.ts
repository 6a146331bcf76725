import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import type { QueryAuditLogFacetsArgs } from '../../types.generated.ts';
import { auditLogModel } from './model.ts';
import { filterOf, requireSpan } from './service.ts';

type Pair = { _id: { resourceType: string; action: string }; count: number };

const MAX_VALUES = 200;

/** How many entries of a time each kind of resource and each action has: one read for both. */
export async function auditFacets(context: GraphContext, args: QueryAuditLogFacetsArgs) {
  const matching = await filterOf(context, args.filters);
  requireSpan(args);
  const pairs = await orTooSlow(
    auditLogModel(context.db)
      .aggregate<Pair>(
        [
          { $match: { ...matching, timestamp: { $gte: args.startTime, $lt: args.endTime } } },
          { $group: { _id: { resourceType: '$resourceType', action: '$action' }, count: { $sum: 1 } } },
        ],
        boundedRead,
      )
      .exec(),
  );
  return {
    resourceTypes: summed(pairs, 'resourceType'),
    actions: summed(pairs, 'action'),
  };
}

function summed(pairs: readonly Pair[], member: keyof Pair['_id']) {
  const counts = new Map<string, number>();
  for (const { _id, count } of pairs) counts.set(_id[member], (counts.get(_id[member]) ?? 0) + count);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, MAX_VALUES);
}
