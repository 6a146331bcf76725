import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const runStep: Resource = { name: 'run-step', models: [], resolvers };
