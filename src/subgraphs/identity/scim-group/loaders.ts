import DataLoader from 'dataloader';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type GroupMembership, groupMembershipModel, scimGroupModel } from './model.ts';

/** Groups belong to the organisation. */
export const scimGroupById = loaderById(scimGroupModel, ({ organisationId }) => ({ organisationId }));

type Wanted = { groupId: string; limit: number };

/** Ids of the first members of each group, by id. */
export const firstMemberIds = perRequest(
  (context: GraphContext) =>
    new DataLoader<Wanted, string[], string>(
      async (wanted) => {
        if (!context.principal) return wanted.map(() => []);
        const { organisationId } = context.principal;
        const [first, ...others] = wanted;
        const found = await orTooSlow(
          groupMembershipModel(context.db)
            .find(
              { organisationId, groupId: { $in: wanted.map(({ groupId }) => groupId) } },
              { groupId: 1, userId: 1 },
              boundedRead,
            )
            .sort({ groupId: 1, userId: 1 })
            // Of one group no more is read than asked for; 0 is no limit.
            .limit(others.length === 0 ? (first?.limit ?? 0) : 0)
            .lean<Pick<GroupMembership, 'groupId' | 'userId'>[]>()
            .exec(),
        );
        const byGroup = Map.groupBy(found, ({ groupId }) => groupId);
        return wanted.map(({ groupId, limit }) =>
          (byGroup.get(groupId) ?? []).slice(0, limit).map(({ userId }) => userId),
        );
      },
      { cacheKeyFn: ({ groupId, limit }) => `${groupId} ${limit}` },
    ),
);
