import DataLoader from 'dataloader';
import { tenantFilter } from '../../../auth/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { type MemberDocument, memberModel } from './model.ts';

export const memberById = loaderById(memberModel, tenantFilter);

/** Ids of the workspaces of each user, as far as the credential reaches. */
export const workspaceIdsOf = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, string[]>(async (userIds) => {
      if (!context.principal) return userIds.map(() => []);
      const found = await orTooSlow(
        memberModel(context.db)
          .find(
            { ...tenantFilter(context.principal), userId: { $in: [...userIds] } },
            { userId: 1, workspaceId: 1 },
            boundedRead,
          )
          .sort({ workspaceId: 1 })
          .lean<Pick<MemberDocument, 'userId' | 'workspaceId'>[]>()
          .exec(),
      );
      const byUser = Map.groupBy(found, ({ userId }) => userId);
      return userIds.map((id) => (byUser.get(id) ?? []).map(({ workspaceId }) => workspaceId));
    }),
);

type Wanted = { workspaceId: string; limit: number };

/** The first members of each workspace, newest first. */
export const latestMembers = perRequest(
  (context: GraphContext) =>
    new DataLoader<Wanted, MemberDocument[], string>(
      async (wanted) => {
        if (!context.principal) return wanted.map(() => []);
        const { organisationId } = context.principal;
        const [first, ...others] = wanted;
        const found = await orTooSlow(
          memberModel(context.db)
            .find(
              { organisationId, workspaceId: { $in: wanted.map(({ workspaceId }) => workspaceId) } },
              null,
              boundedRead,
            )
            .sort({ createdAt: -1, _id: -1 })
            // Of one workspace no more is read than asked for; 0 is no limit.
            .limit(others.length === 0 ? (first?.limit ?? 0) : 0)
            .lean<MemberDocument[]>()
            .exec(),
        );
        const byWorkspace = Map.groupBy(found, ({ workspaceId }) => workspaceId);
        return wanted.map(({ workspaceId, limit }) => (byWorkspace.get(workspaceId) ?? []).slice(0, limit));
      },
      { cacheKeyFn: ({ workspaceId, limit }) => `${workspaceId} ${limit}` },
    ),
);
