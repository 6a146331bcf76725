import DataLoader from 'dataloader';
import type { QueryFilter } from 'mongoose';
import type { Principal } from '../../../auth/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import {
  type GuardrailDocument,
  type GuardrailVersionDocument,
  guardrailModel,
  guardrailVersionModel,
} from './model.ts';

/** All of the organisation, and of the principal's own workspace where it is bound to one. */
const ownGuardrails = ({ organisationId, workspaceId }: Principal): QueryFilter<GuardrailDocument> => ({
  organisationId,
  ...(workspaceId !== null && { workspaceId: { $in: [workspaceId, null] } }),
});

export const guardrailById = loaderById(guardrailModel, ownGuardrails);

type Wanted = { guardrail: Pick<GuardrailDocument, '_id' | 'organisationId' | 'versionId'>; limit: number };

/** The latest versions of a guardrail, newest first. */
export const latestGuardrailVersions = perRequest(
  (context: GraphContext) =>
    new DataLoader<Wanted, GuardrailVersionDocument[], string>(
      async (wanted) => {
        const organisationId = context.principal?.organisationId;
        const model = guardrailVersionModel(context.db);
        const present = await model
          .find(
            { organisationId, _id: { $in: wanted.map(({ guardrail }) => guardrail.versionId) } },
            { number: 1 },
          )
          .lean<Pick<GuardrailVersionDocument, '_id' | 'number'>[]>();
        const numbers = new Map(present.map(({ _id, number }) => [_id, number]));
        // Versions are numbered without gaps: however many a guardrail has had, only the wanted ones are read.
        const latest = wanted.map(({ guardrail, limit }) => ({
          organisationId,
          guardrailId: guardrail._id,
          number: { $gt: (numbers.get(guardrail.versionId) ?? 0) - limit },
        }));
        const found = await model
          .find({ $or: latest })
          .sort({ createdAt: -1, _id: -1 })
          .lean<GuardrailVersionDocument[]>();
        const byGuardrail = Map.groupBy(found, ({ guardrailId }) => guardrailId);
        return wanted.map(({ guardrail, limit }) => (byGuardrail.get(guardrail._id) ?? []).slice(0, limit));
      },
      { cacheKeyFn: ({ guardrail, limit }) => `${guardrail._id} ${limit}` },
    ),
);
