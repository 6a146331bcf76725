import type { GuardrailCheck } from '../../../check.ts';
import { booleanOf, listOf, objectOf, trueKeys } from '../answers.ts';
import { definePartner } from '../define-partner.ts';

const endpoints = [
  ['guard', 'an attempt to break out'],
  ['pii', 'personal data'],
  ['harm', 'harm'],
] as const;

const endpoint = ([name, meaning]: (typeof endpoints)[number]): GuardrailCheck =>
  definePartner({
    id: `promptfoo.${name}`,
    description: `Passes when Promptfoo finds no ${meaning.replace(/^an /, '')} in the text.`,
    phases: ['input', 'output'],
    shape: {},
    request: ({ text }) => ({
      url: `https://api.promptfoo.dev/v1/${name}`,
      headers: {},
      body: { input: text },
    }),
    verdict(answer) {
      const [first] = listOf(objectOf(answer).results, 'results');
      const { flagged, categories } = objectOf(first, 'result');
      const isBad =
        name === 'guard' ? trueKeys(categories).includes('jailbreak') : booleanOf(flagged, 'verdict');
      return { passes: !isBad, reasons: isBad ? [name, ...trueKeys(categories)] : [] };
    },
  });

export const promptfoo: readonly GuardrailCheck[] = endpoints.map(endpoint);
