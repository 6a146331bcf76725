import type { Resource } from '../../subgraph.ts';
import { bundleEntryModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const bundle: Resource = { name: 'bundle', models: [bundleEntryModel], resolvers };
