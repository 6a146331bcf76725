import type { Resource } from '../../subgraph.ts';
import { providerModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedProvider } from './service.ts';

export { createDefaultProviders, requireFreeSlugs } from './default.ts';
export { type ProviderDocument, providerModel } from './model.ts';

export const provider: Resource = {
  name: 'provider',
  models: [providerModel],
  ownedByWorkspace: true,
  resolvers,
  references: { Provider: ({ id }, context) => referencedProvider(context, id) },
};
