import type { Resolvers } from '../resolvers.generated.ts';
import { providerKinds } from './service.ts';

export const resolvers = {
  Query: { providerKinds: () => providerKinds },
} satisfies Resolvers;
