export type { Phase } from './check.ts';
export { allChecks, checkOf } from './checks/index.ts';
export {
  type CheckEntry,
  type GuardrailActions,
  type GuardrailChanges,
  type GuardrailDefinition,
  type GuardrailProblem,
  guardrailActions,
  guardrailCheck,
  guardrailDefinition,
  MAX_CHECKS,
  parseGuardrail,
  parseGuardrailChanges,
  pathOf,
  type StoredGuardrail,
} from './definition.ts';
export { type EnforcedGuardrails, type GuardrailLookup, NOTHING_ENFORCED } from './lookup.ts';
export { formsOf, type ParameterSchema, parameterSchemaOf } from './parameter-schema.ts';
export {
  type CompiledGuardrail,
  compileGuardrail,
  type GuardedCheck,
  type GuardrailOrigin,
  type GuardrailProblems,
  type GuardrailUse,
  type PreparedGuardrail,
  prepareGuardrail,
  problemsOf,
  withChanges,
} from './prepare.ts';
export { destinationsOf, mapSecretParameters } from './secret-parameters.ts';
export {
  namedSecret,
  noSecrets,
  type ReadSecret,
  secretNameText,
  secretsNamedIn,
} from './secret-references.ts';
