export {
  type FillableFields,
  fieldOfSetting,
  fillableFields,
  fillableSettings,
  mappableSettings,
  mappedSetting,
} from './fillable-fields.ts';
export { referencedSecretReference } from './find.ts';
export {
  type MappingOwner,
  namedSecretReferences,
  parseSecretMappings,
  type SecretMapping,
  secretMappingSchema,
} from './mapping.ts';
export {
  loadSecretReferences,
  loadSecretReferencesBySlug,
  mappedSecrets,
  referencesOf,
  type UsableReference,
} from './records.ts';
