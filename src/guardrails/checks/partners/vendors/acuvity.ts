import { z } from 'zod';
import { isObject, type JsonObject } from '../../../../lib/json.ts';
import { listOf, objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, hostLabel } from '../shapes.ts';

/** What can be looked for: the parameter that asks for it, the member of an answer that has its score, and the name there. */
const threats = [
  ['prompt_injection', 'exploits', 'prompt_injection'],
  ['jail_break', 'exploits', 'jailbreak'],
  ['malicious_url', 'exploits', 'malicious_url'],
  ['toxic', 'malcontents', 'toxic'],
  ['biased', 'malcontents', 'biased'],
  ['harmful', 'malcontents', 'harmful'],
] as const;

const wanted = (what: string) => z.boolean().default(false).describe(`Whether ${what} fails.`);
const threshold = (what: string) =>
  z.number().min(0).max(1).default(0.5).describe(`The score from which on ${what} fails.`);
const categories = (what: string) =>
  z
    .array(z.string().min(1).max(100))
    .max(200)
    .default([])
    .describe(`The kinds of ${what} that count; all where it is empty.`);

export const acuvity = definePartner({
  id: 'acuvity.scan',
  description: 'Passes when Acuvity scores nothing of what is asked for as high, or only what it redacts.',
  phases: ['input', 'output'],
  canRedact: true,
  oneOf: [...threats.map(([name]) => name), 'language', 'pii', 'secrets'],
  shape: {
    apiKey,
    domain: hostLabel('The host of your Apex service.'),
    prompt_injection: wanted('prompt injection'),
    prompt_injection_threshold: threshold('prompt injection'),
    jail_break: wanted('an attempt at a jailbreak'),
    jail_break_threshold: threshold('an attempt at a jailbreak'),
    malicious_url: wanted('a malicious URL'),
    malicious_url_threshold: threshold('a malicious URL'),
    toxic: wanted('a toxic text'),
    toxic_threshold: threshold('a toxic text'),
    biased: wanted('a biased text'),
    biased_threshold: threshold('a biased text'),
    harmful: wanted('a harmful text'),
    harmful_threshold: threshold('a harmful text'),
    language: wanted('a text in another language than `language_values`'),
    language_values: z
      .string()
      .min(1)
      .max(100)
      .default('english')
      .describe('The language of texts that pass.'),
    pii: wanted('personal data'),
    pii_categories: categories('personal data'),
    secrets: wanted('a secret'),
    secrets_categories: categories('secrets'),
  },
  request: ({ text, segment, input, parameters }) => ({
    url: `https://${parameters.domain}/_acuvity/scan`,
    headers: { authorization: `Bearer ${parameters.apiKey}` },
    body: {
      messages: [text],
      type: input.phase === 'input' ? 'Input' : 'Output',
      anonymization: 'FixedSize',
      redactions: segment === null ? [] : redactionsOf(parameters),
    },
  }),
  verdict(answer, { segment, parameters }) {
    const extractions = listOf(objectOf(answer).extractions, 'extractions');
    if (extractions.length === 0) throw new Error('The service gave no extractions.');
    const threatening = extractions.flatMap((extraction) => threatsIn(extraction, parameters));
    const hidden = extractions.flatMap((extraction) => [
      ...(parameters.pii ? kindsIn(extraction.PIIs, parameters.pii_categories) : []),
      ...(parameters.secrets ? kindsIn(extraction.secrets, parameters.secrets_categories) : []),
    ]);
    const reasons = [...threatening, ...hidden];
    const [first] = extractions;
    const isRedacted = threatening.length === 0 && hidden.length > 0 && segment !== null;
    return {
      passes: reasons.length === 0,
      reasons,
      ...(isRedacted && typeof first?.data === 'string' && { redacted: first.data }),
    };
  },
});

type Wanted = { pii: boolean; pii_categories: string[]; secrets: boolean; secrets_categories: string[] };

/** Kinds that the service is to redact; the name of a group stands for all of it. */
const redactionsOf = ({ pii, pii_categories, secrets, secrets_categories }: Wanted): string[] => [
  ...(!pii ? [] : pii_categories.length > 0 ? pii_categories : ['PIIs']),
  ...(!secrets ? [] : secrets_categories.length > 0 ? secrets_categories : ['Secrets']),
];

type Scored = Record<(typeof threats)[number][0], boolean> &
  Record<`${(typeof threats)[number][0]}_threshold`, number> & { language: boolean; language_values: string };

function threatsIn(extraction: JsonObject, parameters: Scored): string[] {
  const found = threats
    .filter(([name, group, kind]) => {
      const scores = extraction[group];
      const score = isObject(scores) ? scores[kind] : undefined;
      return parameters[name] && typeof score === 'number' && score >= parameters[`${name}_threshold`];
    })
    .map(([name]): string => name);
  const { languages } = extraction;
  const isForeign =
    parameters.language && !(isObject(languages) && Object.hasOwn(languages, parameters.language_values));
  return isForeign ? [...found, 'language'] : found;
}

/** A kind that was not found has no member. */
const kindsIn = (found: unknown, kinds: readonly string[]): string[] =>
  isObject(found) ? Object.keys(found).filter((kind) => kinds.length === 0 || kinds.includes(kind)) : [];
