import { isObject, type JsonObject } from '../../../../lib/json.ts';
import { numberOf, objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, hostLabel, name } from '../shapes.ts';

const account = { apiKey, domain: hostLabel('The domain of your account, such as aws.us.pangea.cloud.') };

/** The result of an answer; those that failed come with a status of their own. */
function resultOf(answer: unknown): JsonObject {
  const { status, result } = objectOf(answer);
  if (status !== 'Success') throw new Error('The service did not succeed.');
  return objectOf(result, 'result');
}

export const pangeaTextGuard = definePartner({
  id: 'pangea.textGuard',
  description: 'Passes when no detector of Pangea AI Guard finds anything.',
  phases: ['input', 'output'],
  shape: { ...account, recipe: name('The recipe that says which detectors run.').optional() },
  request: ({ text, parameters: { apiKey: key, domain, recipe } }) => ({
    url: `https://ai-guard.${domain}/v1/text/guard`,
    headers: { authorization: `Bearer ${key}` },
    body: { text, ...(recipe !== undefined && { recipe }) },
  }),
  verdict(answer) {
    const detectors = objectOf(resultOf(answer).detectors, 'detectors');
    const reasons = Object.keys(detectors).filter((key) => {
      const detector = detectors[key];
      return isObject(detector) && detector.detected === true;
    });
    return { passes: reasons.length === 0, reasons };
  },
});

export const pangeaPii = definePartner({
  id: 'pangea.pii',
  description: 'Passes when Pangea Redact finds nothing to redact, or the text is redacted.',
  phases: ['input', 'output'],
  canRedact: true,
  shape: account,
  request: ({ text, parameters: { apiKey: key, domain } }) => ({
    url: `https://redact.${domain}/v1/redact_structured`,
    headers: { authorization: `Bearer ${key}` },
    body: { data: [text] },
  }),
  verdict(answer) {
    const { count, redacted_data } = resultOf(answer);
    if (numberOf(count, 'count') === 0) return { passes: true, reasons: [] };
    const [redacted] = Array.isArray(redacted_data) ? redacted_data : [];
    return { passes: false, reasons: ['pii'], ...(typeof redacted === 'string' && { redacted }) };
  },
});
