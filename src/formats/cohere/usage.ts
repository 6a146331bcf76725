import type { JsonObject } from '../../lib/json.ts';
import { inputClasses, outputClasses } from '../usage/classes.ts';
import { count, membersOf, sum } from '../usage/counts.ts';
import type { UsageReader } from '../usage/reader.ts';

/**
 * Cohere, in its own format and in OpenAI's: what it bills is less than what its models read, since it adds tokens of its
 * own. Rankings are billed by search.
 */
export const cohereUsage: UsageReader = {
  names: ['usage', 'meta'],
  matches: (report) => 'billed_units' in report,
  read(report) {
    const billed = membersOf(report.billed_units);
    const counted = 'tokens' in report ? membersOf(report.tokens) : billed;
    const promptTokens = count(report.prompt_tokens) ?? count(counted.input_tokens);
    const completionTokens = count(report.completion_tokens) ?? count(counted.output_tokens);
    const searches = count(billed.search_units);
    return {
      promptTokens,
      completionTokens,
      totalTokens: count(sum(promptTokens, completionTokens)),
      classes: {
        ...inputClasses({ total: count(billed.input_tokens) ?? 0, cached: cachedOf(report) }),
        ...outputClasses({ total: count(billed.output_tokens) ?? 0 }),
        ...(searches && { search: searches }),
      },
    };
  },
};

const cachedOf = (report: JsonObject) =>
  count(report.cached_tokens) ?? count(membersOf(report.prompt_tokens_details).cached_tokens);
