import type { Resolvers } from '../../subgraph.ts';
import type { OrganisationDocument } from './model.ts';
import { ownOrganisation } from './service.ts';

export const resolvers: Resolvers = {
  Query: { organisation: (_parent, _args, context) => ownOrganisation(context) },
  Organisation: { id: (organisation: OrganisationDocument) => organisation._id },
};
