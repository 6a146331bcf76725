export { organisationSettings } from './directory.ts';
export { organisationById } from './loaders.ts';
export {
  type OrganisationDocument,
  type OrganisationSettings,
  organisationModel,
} from './model.ts';
export { withRequiredMetadata } from './required-metadata.ts';
