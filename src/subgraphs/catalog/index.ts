import type { Subgraph } from '../subgraph.ts';
import { availableModel } from './available-model/resource.ts';
import { deployment } from './deployment/resource.ts';
import { integration } from './integration/resource.ts';
import { integrationTest } from './integration-test/resource.ts';
import { modelPricing } from './model-pricing/resource.ts';
import { provider } from './provider/resource.ts';
import { providerKind } from './provider-kind/resource.ts';
import { secretReference } from './secret-reference/resource.ts';
import { virtualKey } from './virtual-key/resource.ts';

export const catalog: Subgraph = {
  name: 'catalog',
  resources: [
    integration,
    integrationTest,
    provider,
    providerKind,
    virtualKey,
    deployment,
    modelPricing,
    availableModel,
    secretReference,
  ],
};
