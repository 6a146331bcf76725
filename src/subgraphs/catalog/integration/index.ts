export { levelScope, usableIn } from './access.ts';
export { changedCredential, type IntegrationCredential, keyMembers, newCredential } from './credential.ts';
export { deleteOwnIntegration, requireIntegration, usableIntegration } from './find.ts';
export {
  entryOf,
  entryOwner,
  type IntegrationConfigurations,
  type IntegrationDocument,
  type IntegrationModel,
  integrationModel,
} from './model.ts';
export { unsealHeaders, unsealModelHeaders, unsealSettings } from './sealed.ts';
export { referencedIntegration } from './service.ts';
