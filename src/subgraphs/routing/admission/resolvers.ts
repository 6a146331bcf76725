import type { Resolvers } from '../resolvers.generated.ts';
import { checkAdmission } from './service.ts';

export const resolvers = {
  Query: { checkAdmission: (_parent, { input }, context) => checkAdmission(context, input) },
  AdmissionCheck: { limits: ({ limits }, { limit }) => limits.slice(0, limit) },
} satisfies Resolvers;
