import { getModelCapabilities } from '@ai-sdk/anthropic/internal';
import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Fields, isText } from '../ai-sdk/fields.ts';
import { type Effort, type Reasoning, reasoningOf, scaleOf } from '../ai-sdk/request/reasoning.ts';

/** Tokens of thinking for an effort. */
const budgets: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** What a chat request means to Claude alone, wherever it runs. */
export function claudeOptions(
  body: Fields,
  model: string,
  common: LanguageModelV4CallOptions,
): Partial<LanguageModelV4CallOptions> {
  const { reasoning, thinking, maxOutputTokens } = thinkingOf(body, model, common.maxOutputTokens);
  const options: JSONObject = {
    toolStreaming: false,
    ...(isText(body.user) && { metadata: { userId: body.user } }),
    ...(body.parallel_tool_calls === false && { disableParallelToolUse: true }),
    ...(thinking && { thinking }),
  };
  return { reasoning, maxOutputTokens, providerOptions: { anthropic: options } };
}

type Thinking = {
  reasoning?: LanguageModelV4CallOptions['reasoning'];
  thinking?: JSONObject;
  maxOutputTokens?: number;
};

/** A budget for the models that take one, an effort for those that do not. */
function thinkingOf(body: Fields, model: string, maxOutputTokens: number | undefined): Thinking {
  const asked = reasoningOf(body);
  if (asked === null) return { maxOutputTokens };
  if (asked.kind === 'adaptive') return { thinking: { type: 'adaptive' }, maxOutputTokens };
  const tokens = budgetOf(asked, model);
  if (tokens === null) return { reasoning: scaleOf(asked), maxOutputTokens };
  return {
    thinking: { type: 'enabled', budgetTokens: tokens },
    maxOutputTokens: beside(tokens, maxOutputTokens),
  };
}

/** Null for a model that is told how hard to think, and for none at all. */
export function budgetOf(asked: Reasoning, model: string): number | null {
  if (asked.kind === 'budget') return asked.tokens;
  if (asked.kind !== 'effort' || asked.effort === 'none') return null;
  return getModelCapabilities(model).rejectsBudgetThinking ? null : budgets[asked.effort];
}

/**
 * The library adds the budget to the tokens of the answer. A caller who asked for more than the budget meant both, so that
 * the sum is what it asked for.
 */
export const beside = (budget: number, maxOutputTokens: number | undefined): number | undefined =>
  maxOutputTokens !== undefined && maxOutputTokens > budget ? maxOutputTokens - budget : maxOutputTokens;
