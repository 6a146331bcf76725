import type { JsonObject } from '../../../lib/json.ts';
import { booleanOf, listOf, objectOf, placeholderOf, textOf } from './answers.ts';
import { definePartner } from './define-partner.ts';
import { messagesOf } from './partner.ts';
import { apiKey, baseUrl, name, trimmed } from './shapes.ts';

export const lakera = definePartner({
  id: 'lakera',
  aliases: ['lakera.guard'],
  description: 'Passes when Lakera Guard flags nothing, or only personal data that is redacted.',
  phases: ['input', 'output'],
  canRedact: true,
  shape: {
    apiKey,
    apiBase: baseUrl('https://api.lakera.ai'),
    projectID: name('The project whose policy says what is flagged.').optional(),
  },
  usualTimeout: 30_000,
  request({ text, segment, input, parameters: { apiKey: key, apiBase, projectID } }) {
    const role = segment?.role ?? (input.phase === 'input' ? 'user' : 'assistant');
    return {
      url: `${trimmed(apiBase)}/v2/guard`,
      headers: { authorization: `Bearer ${key}` },
      body: {
        messages: segment === null ? messagesOf(input) : [{ role, content: text }],
        ...(projectID !== undefined && { project_id: projectID }),
        breakdown: true,
        payload: segment !== null,
      },
    };
  },
  verdict(answer, { text, segment }) {
    const { flagged, breakdown, payload } = objectOf(answer);
    if (!booleanOf(flagged, 'verdict')) return { passes: true, reasons: [] };
    const detected = listOf(breakdown ?? [], 'breakdown').filter((one) => one.detected === true);
    const reasons = detected.map(({ detector_type }) => textOf(detector_type, 'detector'));
    const isPersonal = reasons.length > 0 && reasons.every((reason) => reason.startsWith('pii'));
    if (segment === null || !isPersonal) return { passes: false, reasons };
    const spans = listOf(payload ?? [], 'payload').flatMap((one) => placesOf(one, text));
    return { passes: false, reasons, spans };
  },
});

/** Wherever the text that was found stands: how the service counts characters does not matter then. */
function placesOf({ text: found, detector_type: kind }: JsonObject, text: string) {
  if (typeof found !== 'string' || found === '') return [];
  const category = placeholderOf(typeof kind === 'string' ? kind.replace(/^pii\//, '') : 'PII');
  const places: { start: number; end: number; category: string }[] = [];
  for (let start = text.indexOf(found); start >= 0; start = text.indexOf(found, start + found.length))
    places.push({ start, end: start + found.length, category });
  return places;
}
