import type { Subgraph } from '../subgraph.ts';
import { deployment } from './deployment/index.ts';
import { integration } from './integration/index.ts';
import { modelPricing } from './model-pricing/index.ts';
import { provider } from './provider/index.ts';

export const catalog: Subgraph = {
  name: 'catalog',
  resources: [integration, provider, deployment, modelPricing],
};
