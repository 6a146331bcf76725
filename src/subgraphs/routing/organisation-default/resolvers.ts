import type { Resolvers } from '../resolvers.generated.ts';
import { getOrganisationDefaults, updateOrganisationDefaults } from './service.ts';

export const resolvers = {
  Query: { organisationDefaults: (_parent, _args, context) => getOrganisationDefaults(context) },
  Mutation: {
    updateOrganisationDefaults: (_parent, { input }, context) => updateOrganisationDefaults(context, input),
  },
} satisfies Resolvers;
