import type { Resolvers } from '../../subgraph.ts';
import type { OrganisationDocument } from './model.ts';
import { ownOrganisation } from './service.ts';
import { shownSettings, updateOrganisationSettings } from './settings.ts';

export const resolvers: Resolvers = {
  Query: { organisation: (_parent, _args, context) => ownOrganisation(context) },
  Mutation: {
    updateOrganisationSettings: (_parent, { input }, context) => updateOrganisationSettings(context, input),
  },
  Organisation: {
    id: (organisation: OrganisationDocument) => organisation._id,
    settings: (organisation: OrganisationDocument) => shownSettings(organisation),
  },
};
