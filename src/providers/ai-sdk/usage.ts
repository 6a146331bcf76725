import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { type Fields, isFields, isNumber } from './fields.ts';

/**
 * OpenAI's counts: `prompt_tokens` holds what was read from a cache or written to one. The provider's own counters of its
 * cache are kept beside them (spec/data-plane.md, section 9.4). Undefined when the provider counted nothing.
 */
export function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Fields | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const prompt = inputTokens.total ?? 0;
  const completion = outputTokens.total ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(isNumber(inputTokens.cacheRead) && {
      prompt_tokens_details: { cached_tokens: inputTokens.cacheRead },
    }),
    ...(isNumber(outputTokens.reasoning) && {
      completion_tokens_details: { reasoning_tokens: outputTokens.reasoning },
    }),
    ...(isNumber(inputTokens.cacheWrite) && {
      cache_read_input_tokens: inputTokens.cacheRead ?? 0,
      cache_creation_input_tokens: inputTokens.cacheWrite,
    }),
    ...(isFields(raw?.cache_creation) && { cache_creation: raw.cache_creation }),
    ...(isFields(raw?.billed_units) && { billed_units: raw.billed_units }),
  };
}

const reasons: Partial<Record<LanguageModelV4FinishReason['unified'], string>> = {
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};

export const finishReasonOf = (reason: LanguageModelV4FinishReason, hasToolCalls: boolean): string =>
  reasons[reason.unified] ?? (hasToolCalls ? 'tool_calls' : 'stop');

/** A stream that ended before its provider said why has been cut off. */
export const isCutOff = ({ unified, raw }: LanguageModelV4FinishReason): boolean =>
  raw === undefined && (unified === 'other' || unified === 'interrupted');
