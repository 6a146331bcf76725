export type { Phase } from './check.ts';
export {
  type CheckEntry,
  type GuardrailActions,
  type GuardrailDefinition,
  type GuardrailProblem,
  guardrailActions,
  guardrailCheck,
  guardrailDefinition,
  MAX_CHECKS,
  parseGuardrail,
  type StoredGuardrail,
} from './definition.ts';
export type { EnforcedGuardrails, GuardrailLookup } from './lookup.ts';
export {
  type CompiledGuardrail,
  compileGuardrail,
  type GuardrailOrigin,
  type GuardrailProblems,
  type GuardrailUse,
  type PreparedGuardrail,
  prepareGuardrail,
  problemsOf,
} from './prepare.ts';
