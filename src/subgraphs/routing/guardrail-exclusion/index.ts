export { type GuardrailExclusionDocument, guardrailExclusionModel } from './model.ts';
