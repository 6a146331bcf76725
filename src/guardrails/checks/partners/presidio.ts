import { z } from 'zod';
import { defineCheck, type TextEdit } from '../../check.ts';
import { analyze, analyzerParameters } from '../personal-data/presidio.ts';
import { placeholderOf } from './answers.ts';
import { commonShape, redactShape } from './partner.ts';

const parameters = z.strictObject({
  ...analyzerParameters,
  entities: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(200)
    .optional()
    .describe('The kinds to look for, such as PERSON; all that the analyzer knows where it is absent.'),
  ...redactShape,
  ...commonShape(5_000),
});

export const presidio = defineCheck({
  id: 'presidio.analyze',
  description: 'Passes when a Presidio analyzer finds nothing, or all of it is redacted.',
  phases: ['input', 'output'],
  isRemote: true,
  parameters,
  timeoutMs: ({ timeout }) => timeout,
  edits: ({ redact }) => redact,
  prepare:
    ({ entities = null, redact, timeout: timeoutMs, ...analyzer }) =>
    async ({ segments, signal }, services) => {
      const counts: Record<string, number> = {};
      const edits: TextEdit[] = [];
      for (const segment of segments) {
        if (segment.text.trim() === '') continue;
        for (const find of await analyze(analyzer, segment.text, { entities, timeoutMs, signal }, services)) {
          const placeholder = placeholderOf(find.category);
          counts[placeholder] = (counts[placeholder] ?? 0) + 1;
          if (redact) edits.push({ segment, start: find.start, end: find.end, replacement: { placeholder } });
        }
      }
      const verdict = redact || Object.keys(counts).length === 0;
      return { verdict, data: { detected: counts, redact }, edits };
    },
});
