import { urlParameter } from '../../remote/common.ts';
import { booleanOf, objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, name, trimmed } from '../shapes.ts';

/** The path of the interface that Singulr has for gateways. */
const PATH = '/api/v1/ai-platform/controller/singulr-guardrails-litellm';

export const singulr = definePartner({
  id: 'singulr',
  description: 'Passes when Singulr does not block the text.',
  phases: ['input', 'output'],
  usualTimeout: 30_000,
  shape: {
    apiKey,
    apiBase: urlParameter.describe('The address of your Singulr service.'),
    enforcementEntityId: name('The entity whose policies are enforced.').optional(),
    guardrailId: name('The guardrail that is run.').optional(),
  },
  request: ({ text, parameters: { apiKey: key, apiBase, enforcementEntityId, guardrailId } }) => ({
    url: trimmed(apiBase) + PATH,
    headers: {
      authorization: `Bearer ${key}`,
      ...(enforcementEntityId !== undefined && { 'x-singulr-enforcement-entity-id': enforcementEntityId }),
      ...(guardrailId !== undefined && { 'x-singulr-guardrail-id': guardrailId }),
    },
    body: { prompt: text },
  }),
  verdict(answer) {
    const { should_block, blocking_due_to } = objectOf(answer);
    if (!booleanOf(should_block, 'verdict')) return { passes: true, reasons: [] };
    return { passes: false, reasons: [typeof blocking_due_to === 'string' ? blocking_due_to : 'blocked'] };
  },
});
