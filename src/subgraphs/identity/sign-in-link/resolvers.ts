import type { Resolvers } from '../resolvers.generated.ts';
import { createSignInLink } from './create.ts';
import { createOwner } from './create-owner.ts';

export const resolvers = {
  Mutation: {
    createOwner: (_parent, { input }, context) => createOwner(context, input),
    createSignInLink: (_parent, { userId }, context) => createSignInLink(context, userId),
  },
} satisfies Resolvers;
