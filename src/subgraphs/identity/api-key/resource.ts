import type { Resource } from '../../subgraph.ts';
import { apiKeyModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedApiKey } from './service.ts';

export const apiKey: Resource = {
  name: 'api-key',
  models: [apiKeyModel],
  ownedByWorkspace: true,
  resolvers,
  references: { ApiKey: ({ id }, context) => referencedApiKey(context, id) },
};
