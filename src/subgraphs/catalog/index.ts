import type { Subgraph } from '../subgraph.ts';
import { deployment } from './deployment/resource.ts';
import { integration } from './integration/resource.ts';
import { modelPricing } from './model-pricing/resource.ts';
import { provider } from './provider/resource.ts';

export const catalog: Subgraph = {
  name: 'catalog',
  resources: [integration, provider, deployment, modelPricing],
};
