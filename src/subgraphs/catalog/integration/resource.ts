import type { Resource } from '../../subgraph.ts';
import { integrationModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedIntegration } from './service.ts';

export const integration: Resource = {
  name: 'integration',
  models: [integrationModel],
  ownedByWorkspace: true,
  resolvers,
  references: { Integration: ({ id }, context) => referencedIntegration(context, id) },
};
