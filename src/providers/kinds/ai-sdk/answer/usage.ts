import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';
import { type Fields, isNumber } from '../fields.ts';

/**
 * OpenAI's counts: `prompt_tokens` holds what was read from a cache or written to one. The provider's own counters of its
 * cache are kept beside them. Undefined when the provider counted nothing.
 */
export function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Fields | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const prompt = inputTokens.total ?? 0;
  const completion = outputTokens.total ?? 0;
  const read = {
    ...(isNumber(inputTokens.cacheRead) && { cached_tokens: inputTokens.cacheRead }),
    ...kindsOf(raw?.promptTokensDetails),
  };
  const made = {
    ...(isNumber(outputTokens.reasoning) && { reasoning_tokens: outputTokens.reasoning }),
    ...kindsOf(raw?.candidatesTokensDetails),
  };
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(Object.keys(read).length > 0 && { prompt_tokens_details: read }),
    ...(Object.keys(made).length > 0 && { completion_tokens_details: made }),
    ...(isNumber(inputTokens.cacheWrite) && {
      cache_read_input_tokens: inputTokens.cacheRead ?? 0,
      cache_creation_input_tokens: inputTokens.cacheWrite,
    }),
    ...(isObject(raw?.cache_creation) && { cache_creation: raw.cache_creation }),
    ...(isObject(raw?.server_tool_use) && { server_tool_use: raw.server_tool_use }),
    ...(isObject(raw?.billed_units) && { billed_units: raw.billed_units }),
  };
}

/** Tokens that are no text, which have prices of their own, as Gemini lists them. */
function kindsOf(details: unknown): Fields {
  const kinds: Fields = {};
  for (const detail of Array.isArray(details) ? details : []) {
    if (!isObject(detail) || !isNumber(detail.tokenCount)) continue;
    if (detail.modality === 'AUDIO') kinds.audio_tokens = detail.tokenCount;
    if (detail.modality === 'IMAGE') kinds.image_tokens = detail.tokenCount;
    if (detail.modality === 'VIDEO') kinds.video_tokens = detail.tokenCount;
  }
  return kinds;
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
