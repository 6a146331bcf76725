import type { Resource } from '../../subgraph.ts';
import { guardrailExclusionModel } from './model.ts';
import { resolvers } from './resolvers.ts';

export const guardrailExclusion: Resource = {
  name: 'guardrail-exclusion',
  models: [guardrailExclusionModel],
  goesWithWorkspace: true,
  resolvers,
};
