import type { Subgraph } from '../subgraph.ts';
import { admission } from './admission/resource.ts';
import { config } from './config/resource.ts';
import { guardrail } from './guardrail/resource.ts';
import { guardrailExclusion } from './guardrail-exclusion/resource.ts';
import { guardrailTrial } from './guardrail-trial/resource.ts';
import { limitCounter } from './limit-counter/resource.ts';
import { organisationDefault } from './organisation-default/resource.ts';
import { rateLimitPolicy } from './rate-limit-policy/resource.ts';
import { usageLimitPolicy } from './usage-limit-policy/resource.ts';

export const routing: Subgraph = {
  name: 'routing',
  resources: [
    admission,
    config,
    guardrail,
    organisationDefault,
    guardrailExclusion,
    guardrailTrial,
    usageLimitPolicy,
    rateLimitPolicy,
    limitCounter,
  ],
};
