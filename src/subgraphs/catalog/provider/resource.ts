import type { Resource } from '../../subgraph.ts';
import { providerModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedProvider } from './service.ts';

export const provider: Resource = {
  name: 'provider',
  models: [providerModel],
  ownedByWorkspace: true,
  resolvers,
  references: { Provider: ({ id }, context) => referencedProvider(context, id) },
};
