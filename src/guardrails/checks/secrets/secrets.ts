import { z } from 'zod';
import { defineCheck, type TextEdit } from '../../check.ts';
import { failable } from '../common.ts';
import { cutFinder } from '../pattern/cuts.ts';
import { apart } from '../personal-data/find.ts';
import { matchedSpans } from '../personal-data/recogniser.ts';
import { type SecretHint, secretForms, spacedForms } from './forms.ts';
import { MAX_PRIVATE_KEY, privateKeys, wholeKey } from './private-key.ts';

const parameters = z.strictObject({
  redact: z
    .boolean()
    .default(false)
    .describe('Whether finds are replaced by placeholders such as `{{SECRET_1}}` and the check passes.'),
  ...failable,
});

/** A key has line breaks, where a piece of a stream may end; the beginning of one is enough to refuse it. */
const REACH = 512;
const reachOf = ({ redact }: z.infer<typeof parameters>) => (redact ? MAX_PRIVATE_KEY : REACH);

export const secrets = defineCheck({
  id: 'gateway.secrets',
  description: 'Passes when the text has no keys, tokens or passwords, or all of them are redacted.',
  phases: ['input', 'output'],
  parameters,
  edits: ({ redact }) => redact,
  detects: () => true,
  reach: reachOf,
  cut: (given) => cutFinder([...spacedForms, wholeKey], reachOf(given)),
  prepare:
    ({ redact }) =>
    ({ segments }) => {
      const counts: Record<string, number> = {};
      const edits: TextEdit[] = [];
      for (const segment of segments) {
        for (const { name, start, end } of secretsIn(segment.text)) {
          counts[name] = (counts[name] ?? 0) + 1;
          if (redact) edits.push({ segment, start, end, replacement: { placeholder: 'SECRET' } });
        }
      }
      return {
        verdict: redact || Object.keys(counts).length === 0,
        data: { detected: counts, redact },
        edits,
      };
    },
});

/** Secrets of a text, from left to right. */
export function secretsIn(text: string): { name: string; start: number; end: number }[] {
  const hints = new Map<SecretHint, boolean>();
  const formed: { name: string; start: number; end: number }[] = [];
  for (const { name, pattern, isSecret, hint } of secretForms) {
    if (!isLikely(text, hint, hints)) continue;
    for (const span of matchedSpans(text, pattern, isSecret)) formed.push({ name, ...span });
  }
  const keys = text.includes('PRIVATE KEY') ? privateKeys(text) : [];
  return apart([...keys.map((span) => ({ name: 'private_key', ...span })), ...formed]);
}

/** Whether a text has what a form needs; `known`: of the hints that were looked for. */
function isLikely(text: string, hint: SecretHint | undefined, known: Map<SecretHint, boolean>): boolean {
  if (hint === undefined) return true;
  const answer = known.get(hint) ?? hint(text);
  known.set(hint, answer);
  return answer;
}
