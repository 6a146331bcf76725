import { z } from 'zod';
import type { GuardrailCheck } from '../../../check.ts';
import { booleanOf, listOf, objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey } from '../shapes.ts';

/** The checks, each with the evaluator that is asked, its criteria, and what it looks at. */
const evaluations: readonly (readonly [
  id: string,
  evaluator: string,
  criteria: string | null,
  meaning: string,
])[] = [
  ['phi', 'phi', null, 'data about health'],
  ['pii', 'pii', null, 'personal data'],
  ['isConcise', 'judge', 'patronus:is-concise', 'being concise'],
  ['isHelpful', 'judge', 'patronus:is-helpful', 'being helpful'],
  ['isPolite', 'judge', 'patronus:is-polite', 'being polite'],
  ['noApologies', 'judge', 'patronus:no-apologies', 'the absence of apologies'],
  ['noGenderBias', 'judge', 'patronus:no-gender-bias', 'the absence of bias by gender'],
  ['noRacialBias', 'judge', 'patronus:no-racial-bias', 'the absence of racial bias'],
  ['retrievalAnswerRelevance', 'answer-relevance', null, 'relevance'],
  ['toxicity', 'toxicity', null, 'toxicity'],
];

type Question = { text: string; requestText: string; apiKey: string };

const requestOf = (
  { text, requestText, apiKey: key }: Question,
  evaluator: string,
  criteria: string | null,
) => ({
  url: 'https://api.patronus.ai/v1/evaluate',
  headers: { 'x-api-key': key },
  body: {
    evaluators: [{ evaluator, explain_strategy: 'never', ...(criteria !== null && { criteria }) }],
    evaluated_model_input: requestText,
    evaluated_model_output: text,
  },
});

function verdictOf(answer: unknown, reason: string) {
  const [result] = listOf(objectOf(answer).results, 'results');
  const passes = booleanOf(
    objectOf(objectOf(result, 'result').evaluation_result, 'evaluation').pass,
    'verdict',
  );
  return { passes, reasons: passes ? [] : [reason] };
}

const evaluation = ([name, evaluator, criteria, meaning]: (typeof evaluations)[number]): GuardrailCheck =>
  definePartner({
    id: `patronus.${name}`,
    description: `Passes when Patronus is content with the answer as to ${meaning}.`,
    phases: ['output'],
    shape: { apiKey },
    usualTimeout: 15_000,
    request: ({ text, input, parameters }) =>
      requestOf(
        { text, requestText: input.call.requestText(), apiKey: parameters.apiKey },
        evaluator,
        criteria,
      ),
    verdict: (answer) => verdictOf(answer, name),
  });

const custom = definePartner({
  id: 'patronus.custom',
  description: 'Passes when an evaluator of your own at Patronus is content with the answer.',
  phases: ['output'],
  shape: {
    apiKey,
    profile: z
      .string()
      .max(300)
      .regex(/^[\w.-]+(?::[\w.:-]+)?$/, 'is no profile such as judge:my-criteria')
      .describe(
        'The evaluator and its criteria, `judge:my-criteria`; the criteria alone are those of `judge`.',
      ),
  },
  usualTimeout: 15_000,
  request({ text, input, parameters }) {
    const { profile, apiKey: key } = parameters;
    const at = profile.indexOf(':');
    const evaluator = at < 0 ? 'judge' : profile.slice(0, at);
    return requestOf(
      { text, requestText: input.call.requestText(), apiKey: key },
      evaluator,
      profile.slice(at + 1),
    );
  },
  verdict: (answer) => verdictOf(answer, 'custom'),
});

export const patronus: readonly GuardrailCheck[] = [...evaluations.map(evaluation), custom];
