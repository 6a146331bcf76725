export { usableIntegration } from './find.ts';
export {
  type IntegrationConfigurations,
  type IntegrationDocument,
  type IntegrationModel,
  integrationModel,
} from './model.ts';
export { unsealHeaders, unsealModelHeaders, unsealSettings } from './sealed.ts';
export { referencedIntegration } from './service.ts';
