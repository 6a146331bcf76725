import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const integrationTest: Resource = { name: 'integration-test', models: [], resolvers };
