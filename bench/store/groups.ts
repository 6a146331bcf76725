import type { Collection, Document } from 'mongodb';
import { type Context, large, small, smallSize } from './context.ts';
import type { LogDocument } from './documents.ts';
import { middleOfThree } from './measure.ts';
import { atMost, count } from './report.ts';

/** Count, sum, average and maximum by a field of 20 values that no index knows. */
export const byModel: Document[] = [
  {
    $group: {
      _id: '$aiModel',
      requests: { $sum: 1 },
      cost: { $sum: '$cost' },
      averageTime: { $avg: '$responseTime' },
      longestTime: { $max: '$responseTime' },
    },
  },
];

/** Aggregates with nothing else going on. */
export async function measureGroups(context: Context): Promise<void> {
  const { memory, largeSize } = context;
  memory.phase('group-by');
  await measureGroup(context, small(context), smallSize, 1.5);
  if (largeSize > smallSize) await measureGroup(context, large(context), largeSize, 10);
}

async function measureGroup(
  { report }: Context,
  collection: Collection<LogDocument>,
  size: number,
  limit: number,
): Promise<void> {
  const seconds =
    (await middleOfThree(async () => {
      const groups = await collection.aggregate(byModel).toArray();
      if (groups.length !== 20) throw new Error(`${groups.length} groups instead of 20.`);
    })) / 1000;
  report.add(`group-by over ${count(size)}`, `${count(seconds)} s`, atMost(seconds, limit, 's'));
}
