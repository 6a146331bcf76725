import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { logModel } from './model.ts';

type Owner = { organisationId: string; workspaceId: string };
type Found = { _id: string; aiModel: string | null };

/** The model of each trace's last log; a trace without a log, or whose last log has no model, is missing. */
export async function lastModelsOf(
  { db }: Pick<GraphContext, 'db'>,
  { organisationId, workspaceId }: Owner,
  traceIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await orTooSlow(
    logModel(db)
      .aggregate<Found>(
        [
          { $match: { organisationId, workspaceId, traceId: { $in: [...new Set(traceIds)] } } },
          { $sort: { createdAt: -1, _id: -1 } },
          { $group: { _id: '$traceId', aiModel: { $first: '$aiModel' } } },
        ],
        boundedRead,
      )
      .exec(),
  );
  return new Map(found.flatMap(({ _id, aiModel }) => (aiModel === null ? [] : [[_id, aiModel]])));
}
