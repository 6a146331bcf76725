import type { Resolvers } from '../resolvers.generated.ts';
import { ownOrganisation } from './service.ts';
import { shownSettings, updateOrganisationSettings } from './settings.ts';

export const resolvers = {
  Query: { organisation: (_parent, _args, context) => ownOrganisation(context) },
  Mutation: {
    updateOrganisationSettings: (_parent, { input }, context) => updateOrganisationSettings(context, input),
  },
  Organisation: {
    id: (organisation) => organisation._id,
    settings: (organisation) => shownSettings(organisation),
  },
} satisfies Resolvers;
