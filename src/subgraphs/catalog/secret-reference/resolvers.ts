import { allowedWorkspaceIds } from '../allowed-workspaces.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { getSecretReference, referencedSecretReference } from './find.ts';
import { shownAuthConfig } from './sealed-auth.ts';
import {
  createSecretReference,
  deleteSecretReference,
  listSecretReferences,
  updateSecretReference,
} from './service.ts';
import { testSecretReference } from './try-out.ts';

export const resolvers = {
  Query: {
    secretReference: (_parent, { id }, context) => getSecretReference(context, id),
    secretReferences: (_parent, args, context) => listSecretReferences(context, args),
  },
  Mutation: {
    createSecretReference: (_parent, { input }, context) => createSecretReference(context, input),
    updateSecretReference: (_parent, { id, input }, context) => updateSecretReference(context, id, input),
    deleteSecretReference: (_parent, { id }, context) => deleteSecretReference(context, id),
    testSecretReference: (_parent, { id }, context) => testSecretReference(context, id),
  },
  SecretReference: {
    id: (reference) => reference._id,
    authConfig: (reference, _args, context) => shownAuthConfig(context.secrets, reference),
    allowedWorkspaceIds: (reference, { limit }, context) => allowedWorkspaceIds(context, reference, limit),
    allowedWorkspaces: async (reference, { limit }, context) =>
      (await allowedWorkspaceIds(context, reference, limit)).map((id) => ({ id })),
    status: () => 'ACTIVE' as const,
  },
  SecretMapping: {
    secretReference: ({ secretReferenceId }, _args, context) =>
      referencedSecretReference(context, secretReferenceId),
  },
} satisfies Resolvers;
