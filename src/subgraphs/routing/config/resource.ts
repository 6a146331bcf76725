import type { Resource } from '../../subgraph.ts';
import { configModel, configVersionModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedConfig } from './service.ts';

export const config: Resource = {
  name: 'config',
  models: [configModel, configVersionModel],
  ownedByWorkspace: true,
  resolvers,
  references: { Config: ({ id }, context) => referencedConfig(context, id) },
};
