import { createChannel } from '../../../lib/channel.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import type { GraphContext } from '../../context.ts';
import { recordBatchesAdded } from '../../records-added.ts';
import type { LogFilters } from '../../types.generated.ts';
import { cents } from '../log-filters/index.ts';
import { wantedOf } from './live.ts';

export type Activity = { requests: number; errors: number; cost: number };

/** Pulses that wait for a slow reader, who then gets fewer that say more. */
const WAITING = 2;

const nothing = () => ({ requests: 0, errors: 0, costNanodollars: 0 });

/** What was logged since the pulse before, again and again, also where that is nothing. */
export async function activity(
  context: GraphContext,
  { filters, everyMs }: { filters?: LogFilters | null; everyMs: number },
): Promise<AsyncIterableIterator<Activity>> {
  const batches = await recordBatchesAdded(context, await wantedOf(context, filters));
  let sums = nothing();
  const channel = createChannel<Activity>(WAITING, () => {
    clearInterval(timer);
    void batches.return?.();
  });
  const timer = setInterval(() => {
    const { requests, errors, costNanodollars } = sums;
    // What finds no room is in the next pulse.
    if (channel.push({ requests, errors, cost: cents(costNanodollars) ?? 0 })) sums = nothing();
  }, everyMs).unref();

  function add(records: readonly LogRecord[]): void {
    for (const { responseStatusCode: status, costNanodollars } of records) {
      sums.requests++;
      if (status < 200 || status > 299) sums.errors++;
      sums.costNanodollars += costNanodollars ?? 0;
    }
  }
  async function follow(): Promise<void> {
    try {
      for await (const records of batches) add(records);
      await channel.values.return?.();
    } catch (error) {
      channel.fail(error as Error);
    }
  }
  void follow();
  return channel.values;
}
