import { z } from 'zod';
import type { GuardrailCheck, Phase } from '../../../check.ts';
import { objectOf, textOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey } from '../shapes.ts';

const BOTH: readonly Phase[] = ['input', 'output'];

/** The checks, each with the member that switches it on, and its phases. */
const evaluations: readonly (readonly [name: string, member: string, phases: readonly Phase[]])[] = [
  ['contentModeration', 'content_moderation_check', BOTH],
  ['pii', 'pii_check', BOTH],
  ['promptInjections', 'prompt_injections', ['input']],
  ['hallucinations', 'hallucinations_check', ['output']],
  ['grounding', 'grounding_check', ['output']],
];

type Question = { text: string; phase: Phase; requestText: () => string; apiKey: string };

/** Asks for an evaluation. */
export const evaluationOf = (key: string, body: object) => ({
  url: 'https://proxy.qualifire.ai/api/evaluation/evaluate',
  headers: { 'x-qualifire-api-key': key },
  body,
});

const requestOf = ({ text, phase, requestText, apiKey: key }: Question, wanted: object) =>
  evaluationOf(key, {
    ...(phase === 'input' ? { input: text } : { input: requestText(), output: text }),
    ...wanted,
  });

/** `reason`: what a failed evaluation is told as. */
export function verdictOf(answer: unknown, reason: string) {
  const passes = textOf(objectOf(answer).status, 'status') !== 'failed';
  return { passes, reasons: passes ? [] : [reason] };
}

const evaluation = ([name, member, phases]: (typeof evaluations)[number]): GuardrailCheck =>
  definePartner({
    id: `qualifire.${name}`,
    description: `Passes when Qualifire finds no fault: ${member.replace(/_check$/, '').replaceAll('_', ' ')}.`,
    phases,
    shape: { apiKey },
    usualTimeout: 60_000,
    request: ({ text, input: { phase, call }, parameters }) =>
      requestOf(
        { text, phase, requestText: call.requestText, apiKey: parameters.apiKey },
        { [member]: true },
      ),
    verdict: (answer) => verdictOf(answer, name),
  });

const policy = definePartner({
  id: 'qualifire.policy',
  description: 'Passes when Qualifire finds that the text keeps to your policies.',
  phases: BOTH,
  shape: {
    apiKey,
    policies: z.array(z.string().min(1).max(2_000)).min(1).max(50).describe('The policies, a sentence each.'),
  },
  usualTimeout: 60_000,
  request: ({ text, input: { phase, call }, parameters: { policies, apiKey: key } }) =>
    requestOf({ text, phase, requestText: call.requestText, apiKey: key }, { assertions: policies }),
  verdict: (answer) => verdictOf(answer, 'policy'),
});

export const qualifire: readonly GuardrailCheck[] = [...evaluations.map(evaluation), policy];
