import type { JsonObject } from '../../lib/json.ts';
import { inputClasses, outputClasses, type TokenClasses } from '../usage/classes.ts';
import { count, membersOf, sum } from '../usage/counts.ts';
import type { UsageReader } from '../usage/reader.ts';

/**
 * OpenAI's chat completions, completions and embeddings, and the many that answer alike. Most count cached and reasoning
 * tokens inside the two totals; some leave them outside, which shows in `total_tokens`.
 */
export const chatUsage: UsageReader = {
  names: ['usage'],
  matches: (report) =>
    'prompt_tokens' in report ||
    'completion_tokens' in report ||
    ('total_tokens' in report && !('input_tokens' in report)),
  read(report) {
    const total = count(report.total_tokens);
    const completion = count(report.completion_tokens);
    const told = count(report.prompt_tokens);
    // Those who report nothing but a total, for embeddings and rankings, have no output.
    const prompt = told ?? (completion === null ? total : 0);
    const beside = besideTotals(report, prompt ?? 0, completion ?? 0, total);
    const promptTokens = told === null ? null : told + beside.cache;
    const completionTokens = completion === null ? null : completion + beside.reasoning;
    return {
      promptTokens,
      completionTokens,
      totalTokens: total ?? count(sum(promptTokens, completionTokens)),
      classes:
        prompt === null && completion === null
          ? null
          : {
              ...inputOf(report, (prompt ?? 0) + beside.cache),
              ...outputOf(report, (completion ?? 0) + beside.reasoning),
              ...searches(report),
            },
    };
  },
};

const details = (report: JsonObject, side: 'prompt' | 'completion') =>
  membersOf(report[`${side}_tokens_details`]);

const cachedOf = (report: JsonObject) =>
  count(details(report, 'prompt').cached_tokens) ??
  count(report.cache_read_input_tokens) ??
  count(report.prompt_cache_hit_tokens) ??
  count(report.cached_tokens);

const writtenOf = (report: JsonObject) =>
  count(details(report, 'prompt').cache_write_tokens) ?? count(report.cache_creation_input_tokens);

const reasoningOf = (report: JsonObject) =>
  count(details(report, 'completion').reasoning_tokens) ?? count(report.reasoning_tokens);

/** Tokens that the provider left out of the two totals. */
function besideTotals(report: JsonObject, prompt: number, completion: number, total: number | null) {
  const missing = (total ?? 0) - prompt - completion;
  const reasoning = reasoningOf(report) ?? 0;
  const cache = (cachedOf(report) ?? 0) + (writtenOf(report) ?? 0);
  // Perplexity's deep research counts its reasoning apart, even from `total_tokens`.
  const apart = count(report.citation_tokens) !== null && 'reasoning_tokens' in report;
  return {
    reasoning:
      apart || (reasoning > 0 && (missing === reasoning || missing === reasoning + cache)) ? reasoning : 0,
    cache: cache > 0 && (missing === cache || missing === cache + reasoning) ? cache : 0,
  };
}

function inputOf(report: JsonObject, total: number): TokenClasses {
  const { audio_tokens, image_tokens, video_tokens } = details(report, 'prompt');
  return inputClasses({
    total,
    cached: cachedOf(report),
    written: writtenOf(report),
    writtenHour: count(membersOf(report.cache_creation).ephemeral_1h_input_tokens),
    audio: count(audio_tokens),
    image: count(image_tokens),
    video: count(video_tokens),
  });
}

function outputOf(report: JsonObject, total: number): TokenClasses {
  const parts = details(report, 'completion');
  return outputClasses({
    total,
    reasoning: reasoningOf(report),
    audio: count(parts.audio_tokens),
    image: count(parts.image_tokens),
    video: count(parts.video_tokens),
    acceptedPrediction: count(parts.accepted_prediction_tokens),
    rejectedPrediction: count(parts.rejected_prediction_tokens),
  });
}

/** What is billed beside tokens: searches in the web, and the fee by the size of their context. */
function searches(report: JsonObject): TokenClasses {
  const citations = count(report.citation_tokens);
  const size = report.search_context_size;
  const queries =
    count(membersOf(report.server_tool_use).web_search_requests) ?? count(report.num_search_queries);
  return {
    ...(citations && { citation_token: citations }),
    ...(size === 'low' || size === 'medium' || size === 'high'
      ? { [`web_search_${size}_context`]: 1 }
      : queries && { web_search: queries }),
  };
}
