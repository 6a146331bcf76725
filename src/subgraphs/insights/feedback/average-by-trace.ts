import type { Connection } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { between } from '../../filters.ts';
import { feedbackModel } from './model.ts';

type Tenant = { organisationId: string; workspaceId?: string };
type Wanted = { min: number | null | undefined; max: number | null | undefined; since: Date | null };

/** Traces that one query can name. */
const MAX_TRACES = 10_000;

/** The traces on which the average of value times weight lies between two bounds, of feedback given since a time. */
export async function tracesWithAverageFeedback(
  db: Connection,
  tenant: Tenant,
  { min, max, since }: Wanted,
): Promise<string[]> {
  const found = await orTooSlow(
    feedbackModel(db)
      .aggregate<{ _id: string }>(
        [
          { $match: { ...tenant, ...(since && { createdAt: { $gte: since } }) } },
          { $group: { _id: '$traceId', weighted: { $avg: { $multiply: ['$value', '$weight'] } } } },
          { $match: { weighted: between(min, max) ?? { $exists: true } } },
          { $limit: MAX_TRACES + 1 },
          { $project: { _id: 1 } },
        ],
        boundedRead,
      )
      .exec(),
  );
  if (found.length <= MAX_TRACES) return found.map(({ _id }) => _id);
  throw invalidInput(
    'filters.weightedFeedbackMin',
    `More than ${MAX_TRACES} traces have such feedback; narrow the list by time.`,
  );
}
