import { inputClasses, outputClasses } from './classes.ts';
import { count, membersOf, sum } from './counts.ts';
import type { UsageDialect } from './dialect.ts';

/** Cohere: what it bills is less than what its models read, since it adds tokens of its own; rankings are billed by search. */
export const cohere: UsageDialect = {
  names: ['usage', 'meta'],
  matches: (report) => 'billed_units' in report,
  read(report) {
    const billed = membersOf(report.billed_units);
    const counted = 'tokens' in report ? membersOf(report.tokens) : billed;
    const promptTokens = count(counted.input_tokens);
    const completionTokens = count(counted.output_tokens);
    const searches = count(billed.search_units);
    return {
      promptTokens,
      completionTokens,
      totalTokens: count(sum(promptTokens, completionTokens)),
      classes: {
        ...inputClasses({ total: count(billed.input_tokens) ?? 0, cached: count(report.cached_tokens) }),
        ...outputClasses({ total: count(billed.output_tokens) ?? 0 }),
        ...(searches && { search: searches }),
      },
    };
  },
};
