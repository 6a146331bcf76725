import type { JsonObject } from '../../lib/json.ts';
import { inputClasses, outputClasses } from '../usage/classes.ts';
import { count, membersOf, sum } from '../usage/counts.ts';
import type { UsageReader } from '../usage/reader.ts';

/** Gemini's own format: cached tokens are inside the prompt, thoughts and the results of tools beside the two counts. */
export const geminiUsage: UsageReader = {
  names: ['usageMetadata'],
  matches: (report) => 'promptTokenCount' in report || 'totalTokenCount' in report,
  read(report) {
    const reasoning = count(report.thoughtsTokenCount);
    const promptTokens = count(sum(count(report.promptTokenCount), count(report.toolUsePromptTokenCount)));
    const completionTokens = count(sum(count(report.candidatesTokenCount), reasoning));
    const input = (kind: string) =>
      sum(ofKind(report.promptTokensDetails, kind), ofKind(report.toolUsePromptTokensDetails, kind));
    const cached = (kind: string) => ofKind(report.cacheTokensDetails, kind);
    const output = (kind: string) => ofKind(report.candidatesTokensDetails, kind);
    return {
      promptTokens,
      completionTokens,
      totalTokens: count(report.totalTokenCount) ?? count(sum(promptTokens, completionTokens)),
      classes: {
        ...inputClasses({
          total: promptTokens ?? 0,
          cached: count(report.cachedContentTokenCount),
          cachedAudio: cached('AUDIO'),
          cachedImage: cached('IMAGE'),
          audio: input('AUDIO'),
          image: sum(input('IMAGE'), input('DOCUMENT')),
          video: input('VIDEO'),
        }),
        ...outputClasses({
          total: completionTokens ?? 0,
          reasoning,
          audio: output('AUDIO'),
          image: output('IMAGE'),
          video: output('VIDEO'),
        }),
      },
      terms: termsOf(report),
    };
  },
};

function ofKind(list: unknown, kind: string): number | null {
  if (!Array.isArray(list)) return null;
  const parts: JsonObject[] = list.map(membersOf).filter(({ modality }) => modality === kind);
  return sum(...parts.map(({ tokenCount }) => count(tokenCount)));
}

/** `ON_DEMAND_FLEX` is `flex`; plain on-demand traffic has the listed prices. */
function termsOf({ trafficType }: JsonObject): string[] {
  if (typeof trafficType !== 'string' || trafficType === 'ON_DEMAND') return [];
  return [trafficType.replace(/^ON_DEMAND_/, '').toLowerCase()];
}
