import type { Resolvers } from '../../subgraph.ts';
import { getModelConfiguration, getModelPricing, getProviderPricing } from './service.ts';

export const resolvers: Resolvers = {
  Query: {
    modelPricing: (_parent, { provider, model }, context) => getModelPricing(context, provider, model),
    modelConfiguration: (_parent, { provider, model }, context) =>
      getModelConfiguration(context, provider, model),
    providerModelPricing: (_parent, { provider }, context) => getProviderPricing(context, provider),
  },
};
