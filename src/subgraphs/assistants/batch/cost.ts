import DataLoader from 'dataloader';
import type { BatchDocument } from '../../../batches/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { logModel } from '../../insights/log/index.ts';
import { batchModel } from './model.ts';

/** Milliseconds after the end of a batch at which the logs of its calls are all there. */
const SETTLED_MS = 300_000;

/** The logs of a batch's calls: how many there are, and what those that have a price cost together. */
type LogSum = { _id: string; logs: number; cost: number; dearest: number | null };

const sumOf = perRequest(
  (context: GraphContext) =>
    new DataLoader<BatchDocument, LogSum | null, string>(
      async (batches) => {
        const some = (member: 'organisationId' | 'workspaceId' | 'traceId' | '_id') => ({
          $in: [...new Set(batches.map((batch) => batch[member]))],
        });
        const sums = await logModel(context.db).aggregate<LogSum>([
          {
            $match: {
              organisationId: some('organisationId'),
              workspaceId: some('workspaceId'),
              traceId: some('traceId'),
              'metadata._batch': some('_id'),
            },
          },
          {
            $group: {
              _id: '$metadata._batch',
              logs: { $sum: 1 },
              cost: { $sum: '$costNanodollars' },
              dearest: { $max: '$costNanodollars' },
            },
          },
        ]);
        return batches.map(({ _id }) => sums.find((sum) => sum._id === _id) ?? null);
      },
      { cacheKeyFn: ({ _id }) => _id },
    ),
);

/**
 * What the calls of a batch cost; null before it has ended, and where no call has a price. It is summed once: fifty thousand logs
 * are too many to be read each time.
 */
export async function costOf(context: GraphContext, batch: BatchDocument): Promise<number | null> {
  const { _id, active, costNanodollars, counts } = batch;
  if (active) return null;
  if (costNanodollars !== undefined) return costNanodollars;
  const sum = await sumOf(context).load(batch);
  const isSettled = context.now().getTime() - endOf(batch) > SETTLED_MS;
  if (!isSettled && (sum?.logs ?? 0) < counts.completed) return null;
  const cost = sum === null || sum.dearest === null ? null : sum.cost;
  if (isSettled) await batchModel(context.db).updateOne({ _id }, { $set: { costNanodollars: cost } });
  return cost;
}

const endOf = ({ completedAt, failedAt, expiredAt, cancelledAt, createdAt }: BatchDocument): number =>
  (completedAt ?? failedAt ?? expiredAt ?? cancelledAt ?? createdAt).getTime();
