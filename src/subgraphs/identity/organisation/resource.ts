import type { Resource } from '../../subgraph.ts';
import { organisationById } from './loaders.ts';
import { organisationModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const organisation: Resource = {
  name: 'organisation',
  models: [organisationModel],
  reach: ({ organisationId }) => ({ _id: organisationId }),
  resolvers,
  references: { Organisation: ({ id }, context) => organisationById(context).load(id) },
};
