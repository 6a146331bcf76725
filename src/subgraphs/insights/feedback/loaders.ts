import DataLoader from 'dataloader';
import { ownRequestsFilter, tenantFilter } from '../../../auth/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type FeedbackDocument, feedbackModel } from './model.ts';

export const feedbackById = loaderById(feedbackModel, ownRequestsFilter);

/** Documents that are read for the traces of one level of a query, however many have feedback. */
const MAX_READ = 5000;

type Wanted = { workspaceId: string; traceId: string; limit: number };

const nameOf = ({ workspaceId, traceId }: Pick<Wanted, 'workspaceId' | 'traceId'>) =>
  `${workspaceId} ${traceId}`;

/** The latest feedback on each trace, newest first. A trace id is its workspace's own. */
export const latestFeedback = perRequest(
  (context: GraphContext) =>
    new DataLoader<Wanted, FeedbackDocument[], string>(
      async (wanted) => {
        if (!context.principal) return wanted.map(() => []);
        const traceIds = [...new Set(wanted.map(({ traceId }) => traceId))];
        const found = await orTooSlow(
          feedbackModel(context.db)
            .find({ ...tenantFilter(context.principal), traceId: { $in: traceIds } }, null, boundedRead)
            .sort({ createdAt: -1, _id: -1 })
            .limit(MAX_READ)
            .lean<FeedbackDocument[]>()
            .exec(),
        );
        const byTrace = Map.groupBy(found, nameOf);
        return wanted.map((each) => (byTrace.get(nameOf(each)) ?? []).slice(0, each.limit));
      },
      { cacheKeyFn: (wanted) => `${wanted.limit} ${nameOf(wanted)}` },
    ),
);
