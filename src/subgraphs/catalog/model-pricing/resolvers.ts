import type { Resolvers } from '../resolvers.generated.ts';
import { getModelConfiguration, getModelPricing, getProviderPricing } from './service.ts';

export const resolvers = {
  Query: {
    modelPricing: (_parent, { provider, model }, context) => getModelPricing(context, provider, model),
    modelConfiguration: (_parent, { provider, model }, context) =>
      getModelConfiguration(context, provider, model),
    providerModelPricing: (_parent, { provider }, context) => getProviderPricing(context, provider),
  },
} satisfies Resolvers;
