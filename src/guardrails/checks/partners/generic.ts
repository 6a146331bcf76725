import { z } from 'zod';
import { headersParameter, secretParameter, urlParameter } from '../remote/common.ts';
import { objectOf } from './answers.ts';
import { definePartner } from './define-partner.ts';
import { trimmed } from './shapes.ts';

/** The path that services of this interface have. */
const PATH = '/beta/litellm_basic_guardrail_api';

export const genericGuardrail = definePartner({
  id: 'http.generic',
  description:
    'Passes when a service with the generic guardrail interface of LiteLLM does not block; it may change texts.',
  phases: ['input', 'output'],
  canRedact: true,
  shape: {
    apiBase: urlParameter.describe('The address of the service, with or without the path of the interface.'),
    apiKey: secretParameter.optional().describe('The key, sent as `x-api-key`.'),
    headers: headersParameter.describe('Headers of the requests.'),
    additionalParameters: z
      .record(z.string().max(200), z.json())
      .default({})
      .describe('What the service takes besides.'),
  },
  request({ text, segment, input, parameters: { apiBase, apiKey, headers, additionalParameters } }) {
    const { call, phase } = input;
    const address = trimmed(apiBase);
    return {
      url: address.endsWith(PATH) ? address : address + PATH,
      headers: { ...headers, ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
      body: {
        texts: segment === null ? input.segments.map((one) => one.text) : [text],
        images: [],
        tools: phase === 'input' && Array.isArray(call.request?.tools) ? call.request.tools : [],
        request_data: {
          user_api_key_team_id: call.workspaceId,
          user_api_key_org_id: call.organisationId,
        },
        input_type: phase === 'input' ? 'request' : 'response',
        litellm_call_id: call.traceId,
        litellm_trace_id: call.traceId,
        additional_provider_specific_params: additionalParameters,
      },
    };
  },
  verdict(answer, { segment }) {
    const { action, blocked_reason: reason, texts } = objectOf(answer);
    if (action === 'NONE') return { passes: true, reasons: [] };
    if (action === 'BLOCKED')
      return { passes: false, reasons: [typeof reason === 'string' ? reason : 'blocked'] };
    if (action !== 'GUARDRAIL_INTERVENED') throw new Error('The service gave no action.');
    const [redacted] = Array.isArray(texts) ? texts : [];
    const reasons = ['intervened'];
    if (segment === null || typeof redacted !== 'string') return { passes: false, reasons };
    return { passes: false, reasons, redacted };
  },
});
