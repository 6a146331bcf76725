import type { Resolvers } from '../resolvers.generated.ts';
import { listPresets, listScopes } from './service.ts';

export const resolvers = {
  Query: {
    scopeCatalogue: (_parent, { type }, context) => listScopes(context, type),
    scopePresets: (_parent, { type }, context) => listPresets(context, type),
  },
} satisfies Resolvers;
