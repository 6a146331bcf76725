import { z } from 'zod';
import { isObject } from '../../../../lib/json.ts';
import { objectOf, textOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, baseUrl, trimmed } from '../shapes.ts';

export const zscaler = definePartner({
  id: 'zscaler',
  description: 'Passes when Zscaler AI Guard does not block the text.',
  phases: ['input', 'output'],
  usualTimeout: 10_000,
  shape: {
    apiKey,
    apiBase: baseUrl('https://api.us1.zseclipse.net'),
    policyId: z
      .union([
        z.int().min(1),
        z
          .string()
          .regex(/^[1-9]\d{0,14}$/, 'is no id of a policy')
          .transform(Number),
      ])
      .optional()
      .describe('The policy that is run; the one of your key where it is absent.'),
  },
  request: ({ text, input, parameters: { apiKey: key, apiBase, policyId } }) => ({
    url: `${trimmed(apiBase)}/v1/detection/${policyId === undefined ? 'resolve-and-execute-policy' : 'execute-policy'}`,
    headers: { authorization: `Bearer ${key}` },
    body: {
      content: text,
      direction: input.phase === 'input' ? 'IN' : 'OUT',
      ...(policyId !== undefined && { policyId }),
    },
  }),
  verdict(answer) {
    const { action, detectorResponses } = objectOf(answer);
    const taken = textOf(action, 'action');
    if (taken === 'ALLOW' || taken === 'DETECT') return { passes: true, reasons: [] };
    if (taken !== 'BLOCK') throw new Error('The service gave no action.');
    const detectors = Object.entries(isObject(detectorResponses) ? detectorResponses : {});
    const blocking = detectors.filter(([, found]) => isObject(found) && found.action === 'BLOCK');
    return { passes: false, reasons: blocking.length > 0 ? blocking.map(([kind]) => kind) : ['BLOCK'] };
  },
});
