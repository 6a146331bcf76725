import { inputClasses, outputClasses } from '../usage/classes.ts';
import { count, membersOf, sum } from '../usage/counts.ts';
import type { UsageReader } from '../usage/reader.ts';

/** Bedrock's converse: `inputTokens` is only what was neither read from the cache nor written to it. */
export const converseUsage: UsageReader = {
  names: ['usage'],
  matches: (report) => 'inputTokens' in report || 'outputTokens' in report,
  read(report) {
    const cached = count(report.cacheReadInputTokens);
    const written = count(report.cacheWriteInputTokens);
    const promptTokens = count(sum(count(report.inputTokens), cached, written));
    const completionTokens = count(report.outputTokens);
    return {
      promptTokens,
      completionTokens,
      totalTokens: count(sum(promptTokens, completionTokens)),
      classes: {
        ...inputClasses({
          total: promptTokens ?? 0,
          cached,
          written,
          writtenHour: writtenForAnHour(report.cacheDetails),
        }),
        ...outputClasses({ total: completionTokens ?? 0 }),
      },
    };
  },
};

function writtenForAnHour(list: unknown): number | null {
  if (!Array.isArray(list)) return null;
  const entries = list.map(membersOf).filter(({ ttl }) => ttl === '1h');
  return sum(...entries.map(({ inputTokens }) => count(inputTokens)));
}
