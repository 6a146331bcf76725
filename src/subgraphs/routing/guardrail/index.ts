export { contentOf as guardrailContentOf } from './content.ts';
export {
  type GuardrailDocument,
  type GuardrailVersionDocument,
  guardrailModel,
  guardrailVersionModel,
} from './model.ts';
export { type GuardrailNames, type NameProblem, resolveNames } from './named.ts';
