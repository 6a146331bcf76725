import type { Resolvers } from '../resolvers.generated.ts';
import { ownInstallation } from './service.ts';

export const resolvers = {
  Query: { installation: (_parent, _args, context) => ownInstallation(context) },
  Installation: {
    storage: (_running, _args, { installation }) => installation.storage(),
    ownerExists: (_running, _args, { installation }) => installation.hasOwner(),
  },
} satisfies Resolvers;
