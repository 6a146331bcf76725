import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const organisationDefault: Resource = { name: 'organisation-default', models: [], resolvers };
