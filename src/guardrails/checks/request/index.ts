import type { GuardrailCheck } from '../../check.ts';
import { addPrefix } from './add-prefix.ts';
import { allowedRequestTypes } from './allowed-request-types.ts';
import { modelRules } from './model-rules.ts';
import { modelWhitelist } from './model-whitelist.ts';
import { requestParametersCheck } from './request-parameters.ts';
import { requiredMetadataKeys } from './required-metadata-keys.ts';
import { requiredMetadataKeyValuePairs } from './required-metadata-pairs.ts';

/** Checks of what a call asks for and says of itself. */
export const requestChecks: readonly GuardrailCheck[] = [
  modelWhitelist,
  modelRules,
  allowedRequestTypes,
  requiredMetadataKeys,
  requiredMetadataKeyValuePairs,
  requestParametersCheck,
  addPrefix,
];
