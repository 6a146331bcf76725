export { organisationById } from './loaders.ts';
export {
  limitOwner,
  type OrganisationDocument,
  type OrganisationSettings,
  organisationModel,
} from './model.ts';
export { organisationSettings } from './records.ts';
export { withRequiredMetadata } from './required-metadata.ts';
