import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const providerKind: Resource = { name: 'provider-kind', models: [], resolvers };
