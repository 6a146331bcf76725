import type { GuardrailCheck } from '../../check.ts';
import { azureContentSafety, azurePii, azureProtectedMaterial, azureShieldPrompt } from './azure.ts';
import { bedrockGuard } from './bedrock.ts';
import { genericGuardrail } from './generic.ts';
import { googleModelArmor } from './google-model-armor.ts';
import { lakera } from './lakera.ts';
import { presidio } from './presidio.ts';
import { exa } from './search/exa.ts';
import { tavily } from './search/tavily.ts';
import { vendorChecks } from './vendors/index.ts';

/** Checks that ask services of other vendors. */
export const partnerChecks: readonly GuardrailCheck[] = [
  bedrockGuard,
  azureContentSafety,
  azureShieldPrompt,
  azureProtectedMaterial,
  azurePii,
  googleModelArmor,
  lakera,
  presidio,
  genericGuardrail,
  ...vendorChecks,
  exa,
  tavily,
];
