import type { Resource } from '../../subgraph.ts';
import { deploymentModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedDeployment } from './service.ts';

export const deployment: Resource = {
  name: 'deployment',
  models: [deploymentModel],
  ownedByOrganisation: true,
  resolvers,
  references: { Deployment: ({ id }, context) => referencedDeployment(context, id) },
};
