export {
  type GuardrailDocument,
  type GuardrailVersionDocument,
  guardrailModel,
  guardrailVersionModel,
} from './model.ts';
export { type GuardrailNames, type NameProblem, resolveNames } from './named.ts';
