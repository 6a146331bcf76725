import { z } from 'zod';
import { urlParameter } from '../../remote/common.ts';
import { booleanOf, objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, trimmed } from '../shapes.ts';

/** Answers that only warn or tell somebody. */
const tolerated: readonly unknown[] = ['warn', 'alert'];

export const akto = definePartner({
  id: 'akto',
  description: 'Passes when the guardrails of Akto allow the text, or only warn of it.',
  phases: ['input', 'output'],
  shape: {
    apiKey,
    apiDomain: urlParameter.describe('The address of your guardrails service.'),
    host: z.string().min(1).max(200).default('sluice').describe('The application, as Akto lists it.'),
  },
  request: ({ text, input: { phase, call }, parameters: { apiKey: key, apiDomain, host } }) => {
    const isInput = phase === 'input';
    const wanted = isInput ? 'guardrails' : 'response_guardrails';
    return {
      url: `${trimmed(apiDomain)}/api/http-proxy?${wanted}=true&ingest_data=false`,
      headers: { authorization: key },
      body: {
        path: `/${call.requestType}`,
        method: 'POST',
        requestHeaders: JSON.stringify({ host }),
        responseHeaders: '{}',
        requestPayload: payloadOf(isInput ? text : call.requestText()),
        responsePayload: isInput ? '' : payloadOf(text),
        ip: '',
        time: String(Date.now()),
        statusCode: '200',
        type: null,
        status: '200',
        akto_account_id: '1000000',
        akto_vxlan_id: '0',
        is_pending: 'false',
        source: 'MIRRORING',
        tag: JSON.stringify({ 'gen-ai': 'Gen AI' }),
        contextSource: 'AGENTIC',
      },
    };
  },
  verdict(answer) {
    const { guardrailsResult } = objectOf(objectOf(answer).data, 'data');
    const { Allowed, Reason, behaviour } = objectOf(guardrailsResult, 'result of guardrails');
    if (booleanOf(Allowed, 'verdict')) return { passes: true, reasons: [] };
    const reason = typeof Reason === 'string' && Reason !== '' ? Reason : 'not allowed';
    return { passes: tolerated.includes(behaviour), reasons: [reason] };
  },
});

const payloadOf = (text: string): string => JSON.stringify({ body: text });
