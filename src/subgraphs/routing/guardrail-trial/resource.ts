import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const guardrailTrial: Resource = { name: 'guardrail-trial', models: [], resolvers };
