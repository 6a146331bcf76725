import type { Resource } from '../../subgraph.ts';
import { guardrailModel, guardrailVersionModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedGuardrail } from './service.ts';

export const guardrail: Resource = {
  name: 'guardrail',
  models: [guardrailModel, guardrailVersionModel],
  ownedByWorkspace: true,
  reach: ({ organisationId, workspaceId }) => ({
    organisationId,
    ...(workspaceId !== null && { workspaceId: { $in: [workspaceId, null] } }),
  }),
  resolvers,
  references: { Guardrail: ({ id }, context) => referencedGuardrail(context, id) },
};
