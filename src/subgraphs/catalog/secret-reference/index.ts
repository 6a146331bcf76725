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
  parseSecretMappings,
  type SecretMapping,
  secretMappingSchema,
} from './mapping.ts';
export { loadSecretReferences, mappedSecrets, referencesOf } from './records.ts';
