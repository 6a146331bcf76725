import { z } from 'zod';
import { objectOf, trueKeys } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, baseUrl, name, trimmed } from '../shapes.ts';

export const prismaAirs = definePartner({
  id: 'panw-prisma-airs.intercept',
  description: 'Passes when Prisma AIRS of Palo Alto Networks allows the text.',
  phases: ['input', 'output'],
  oneOf: ['profile_name', 'profile_id'],
  shape: {
    apiKey,
    apiBase: baseUrl('https://service.api.aisecurity.paloaltonetworks.com'),
    profile_name: name('The name of the security profile.').optional(),
    profile_id: name('Its id, where the name is absent.').optional(),
    ai_model: name('The model, as reports name it; that of the call where it is absent.').optional(),
    app_user: z.string().min(1).max(500).default('sluice').describe('The user, as reports name it.'),
    app_name: z.string().min(1).max(500).default('sluice').describe('The application, as reports name it.'),
  },
  request({ text, input: { phase, call }, parameters }) {
    const { profile_name, profile_id, ai_model, app_user, app_name } = parameters;
    const ai_profile = { ...(profile_name && { profile_name }), ...(profile_id && { profile_id }) };
    return {
      url: `${trimmed(parameters.apiBase)}/v1/scan/sync/request`,
      headers: { 'x-pan-token': parameters.apiKey },
      body: {
        tr_id: call.traceId,
        ...(Object.keys(ai_profile).length > 0 && { ai_profile }),
        metadata: { ai_model: ai_model ?? call.model ?? 'unknown', app_user, app_name },
        contents: [phase === 'input' ? { prompt: text } : { response: text }],
      },
    };
  },
  verdict(answer) {
    const { action, prompt_detected, response_detected } = objectOf(answer);
    if (action === 'allow') return { passes: true, reasons: [] };
    if (action !== 'block') throw new Error('The service gave no action.');
    return { passes: false, reasons: [...trueKeys(prompt_detected), ...trueKeys(response_detected)] };
  },
});
