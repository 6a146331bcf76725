import type { Resolvers } from '../resolvers.generated.ts';
import { createScimUser, updateScimUser } from './service.ts';

export const resolvers = {
  Mutation: {
    createScimUser: (_parent, { input }, context) => createScimUser(context, input),
    updateScimUser: (_parent, { id, input }, context) => updateScimUser(context, id, input),
  },
} satisfies Resolvers;
