import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Fields } from '../fields.ts';
import { promptOf } from './messages.ts';
import { samplingOf } from './sampling.ts';
import { toolsOf } from './tools.ts';

/**
 * A chat completion request as the library takes it, without what only one provider knows. Throws a RequestProblem for
 * what cannot be asked; members that no provider has are dropped.
 */
export const callOptionsOf = (body: Fields): LanguageModelV4CallOptions => ({
  prompt: promptOf(body.messages),
  ...samplingOf(body),
  ...toolsOf(body),
});
