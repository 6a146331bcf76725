import type { Resource } from '../../subgraph.ts';
import { integrationModel } from './model.ts';
import { resolvers } from './resolvers.ts';
import { referencedIntegration } from './service.ts';

export { usableIntegration } from './find.ts';
export {
  type IntegrationConfigurations,
  type IntegrationDocument,
  type IntegrationModel,
  integrationModel,
} from './model.ts';
export { unsealHeaders, unsealModelHeaders, unsealSettings } from './sealed.ts';
export { referencedIntegration } from './service.ts';

export const integration: Resource = {
  name: 'integration',
  models: [integrationModel],
  ownedByWorkspace: true,
  resolvers,
  references: { Integration: ({ id }, context) => referencedIntegration(context, id) },
};
