import type { Resource } from '../../subgraph.ts';
import { providerModel } from '../provider/index.ts';
import { resolvers } from './resolvers.ts';

export const virtualKey: Resource = { name: 'virtual-key', models: [providerModel], resolvers };
