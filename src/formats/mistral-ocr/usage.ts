import { count } from '../usage/counts.ts';
import type { UsageReader } from '../usage/reader.ts';

/** Mistral's reading of documents, billed by the page. */
export const mistralOcrUsage: UsageReader = {
  names: ['usage_info'],
  matches: (report) => 'pages_processed' in report,
  read(report) {
    const processed = count(report.pages_processed);
    return {
      promptTokens: null,
      completionTokens: null,
      totalTokens: null,
      classes: processed === null ? null : { pages: processed },
    };
  },
};
