import { inputClasses, outputClasses } from '../usage/classes.ts';
import { count, membersOf, sum } from '../usage/counts.ts';
import type { UsageReader } from '../usage/reader.ts';

/**
 * Anthropic's messages: `input_tokens` is only what was neither read from the cache nor written to it. A stream says the
 * input in its first frame and the output in its last; the first frame alone is no final count.
 */
export const messagesUsage: UsageReader = {
  names: ['usage'],
  matches: (report) => 'input_tokens' in report || 'output_tokens' in report,
  isWhole: (stream) => stream.includes('"message_delta"'),
  read(report) {
    const cached = count(report.cache_read_input_tokens);
    const parts = membersOf(report.cache_creation);
    const writtenHour = count(parts.ephemeral_1h_input_tokens);
    const written =
      count(report.cache_creation_input_tokens) ?? sum(count(parts.ephemeral_5m_input_tokens), writtenHour);
    const promptTokens = count(sum(count(report.input_tokens), cached, written));
    const completionTokens = count(report.output_tokens);
    const reasoning = count(membersOf(report.output_tokens_details).thinking_tokens);
    const searches = count(membersOf(report.server_tool_use).web_search_requests);
    return {
      promptTokens,
      completionTokens,
      totalTokens: count(sum(promptTokens, completionTokens)),
      classes: {
        ...inputClasses({ total: promptTokens ?? 0, cached, written, writtenHour }),
        ...outputClasses({ total: completionTokens ?? 0, reasoning }),
        ...(searches && { web_search: searches }),
      },
      terms: [...(report.speed === 'fast' ? ['fast'] : []), ...(report.inference_geo === 'us' ? ['us'] : [])],
    };
  },
};
