import { getGoogleLanguageModelEntry } from '@ai-sdk/google/internal';
import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { DialectRequest } from '../../provider.ts';
import type { Fields } from '../ai-sdk/fields.ts';
import { type Effort, reasoningOf, scaleOf } from '../ai-sdk/request/reasoning.ts';

/** Tokens of thinking for an effort. */
const budgets: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** What a chat request means to Gemini alone: how much it thinks, and whether it says what. */
export function geminiOptions(
  body: Fields,
  model: string,
  _common: LanguageModelV4CallOptions,
  { strict }: DialectRequest,
): Partial<LanguageModelV4CallOptions> {
  const asked = reasoningOf(body);
  if (asked === null) return {};
  const takesLevels = getGoogleLanguageModelEntry(model).requestConfig.language.thinkingFormat === 'level';
  const budget =
    asked.kind === 'budget'
      ? asked.tokens
      : asked.kind === 'effort' && asked.effort !== 'none' && !takesLevels
        ? budgets[asked.effort]
        : null;
  const thinkingConfig: JSONObject = {
    ...(budget !== null && { thinkingBudget: budget }),
    ...(!strict && asked.kind !== 'off' && { includeThoughts: true }),
  };
  return {
    reasoning: budget === null ? scaleOf(asked) : undefined,
    providerOptions: { google: { thinkingConfig } },
  };
}
