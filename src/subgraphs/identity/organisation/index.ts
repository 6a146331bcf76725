import type { Resource } from '../../subgraph.ts';
import { organisationById } from './loaders.ts';
import { organisationModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export { organisationSettings } from './directory.ts';
export { organisationById } from './loaders.ts';
export {
  type OrganisationDocument,
  type OrganisationSettings,
  organisationModel,
} from './model.ts';

export const organisation: Resource = {
  name: 'organisation',
  models: [organisationModel],
  resolvers,
  references: { Organisation: ({ id }, context) => organisationById(context).load(id) },
};
