import { isObject } from '../../../lib/json.ts';
import { objectOf } from './answers.ts';
import { definePartner } from './define-partner.ts';
import { googleToken, serviceAccountKey } from './google-token.ts';
import { hostLabel, pathSegment } from './shapes.ts';

export const googleModelArmor = definePartner({
  id: 'google.modelArmor',
  description: 'Passes when no filter of a template of Google Model Armor matches.',
  phases: ['input', 'output'],
  shape: {
    projectId: pathSegment('The project of the template.'),
    location: hostLabel('Its location, such as us-central1.'),
    templateId: pathSegment('The id of the template.'),
    serviceAccountKey,
  },
  request({ text, input: { phase }, parameters: { projectId, location, templateId } }) {
    const template = `projects/${projectId}/locations/${location}/templates/${templateId}`;
    const method = phase === 'input' ? 'sanitizeUserPrompt' : 'sanitizeModelResponse';
    return {
      url: `https://modelarmor.${location}.rep.googleapis.com/v1/${template}:${method}`,
      headers: {},
      body: phase === 'input' ? { userPromptData: { text } } : { modelResponseData: { text } },
    };
  },
  authorize: async (_request, { serviceAccountKey: key }, send) => ({
    authorization: `Bearer ${await googleToken(key, send)}`,
  }),
  verdict(answer) {
    const { filterMatchState, filterResults, invocationResult } = objectOf(
      objectOf(answer).sanitizationResult,
      'result',
    );
    if (filterMatchState === 'MATCH_FOUND') return { passes: false, reasons: matchedFilters(filterResults) };
    // Filters that did not run have not found nothing.
    if (filterMatchState !== 'NO_MATCH_FOUND' || invocationResult !== 'SUCCESS')
      throw new Error('Not all filters of the template have run.');
    return { passes: true, reasons: [] };
  },
});

/** Each filter nests its result in a member named after it. */
const matchedFilters = (results: unknown): string[] =>
  Object.entries(isObject(results) ? results : {}).flatMap(([filter, result]) =>
    JSON.stringify(result).includes('"matchState":"MATCH_FOUND"') ? [filter] : [],
  );
