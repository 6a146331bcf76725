import type { Resource } from '../../subgraph.ts';
import { configModel, configVersionModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedConfig } from './service.ts';

export { configIn } from './find.ts';
export {
  type ConfigDocument,
  type ConfigVersionDocument,
  configModel,
  configVersionModel,
  type StoredConfig,
} from './model.ts';
export { unsealConfig } from './sealing.ts';

export const config: Resource = {
  name: 'config',
  models: [configModel, configVersionModel],
  ownedByWorkspace: true,
  resolvers,
  references: { Config: ({ id }, context) => referencedConfig(context, id) },
};
