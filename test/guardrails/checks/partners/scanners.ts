import { expect } from '@jest/globals';
import { type Exchange, TEXT } from './exchange.ts';

const key = { apiKey: 'k-1' };
const bearer = { authorization: 'Bearer k-1' };
const user = [{ role: 'user', content: TEXT }];

/** Partners that take a whole text and say whether it may pass. */
export const scanners: Exchange[] = [
  {
    id: 'acuvity.scan',
    parameters: { ...key, domain: 'apex.acuvity.example', prompt_injection: true, toxic: true, pii: true },
    phase: 'input',
    origin: 'https://apex.acuvity.example',
    path: '/_acuvity/scan',
    headers: bearer,
    body: { messages: [TEXT], type: 'Input', anonymization: 'FixedSize', redactions: [] },
    good: {
      extractions: [
        {
          exploits: { prompt_injection: 0.2, jailbreak: 0.9 },
          malcontents: {},
          PIIs: {},
          secrets: { github: 1 },
        },
      ],
    },
    bad: {
      extractions: [
        {
          exploits: { prompt_injection: 0.5 },
          malcontents: { toxic: 0.49, biased: 1 },
          PIIs: { person: 0.3 },
        },
      ],
    },
    reasons: ['prompt_injection', 'person'],
  },
  {
    id: 'akto',
    parameters: { ...key, apiDomain: 'https://mine-guardrails.akto.io/' },
    phase: 'input',
    origin: 'https://mine-guardrails.akto.io',
    path: '/api/http-proxy?guardrails=true&ingest_data=false',
    headers: { authorization: 'k-1' },
    body: {
      path: '/chatComplete',
      method: 'POST',
      requestHeaders: '{"host":"sluice"}',
      responseHeaders: '{}',
      requestPayload: JSON.stringify({ body: TEXT }),
      responsePayload: '',
      ip: '',
      time: expect.stringMatching(/^\d{13}$/),
      statusCode: '200',
      type: null,
      status: '200',
      akto_account_id: '1000000',
      akto_vxlan_id: '0',
      is_pending: 'false',
      source: 'MIRRORING',
      tag: '{"gen-ai":"Gen AI"}',
      contextSource: 'AGENTIC',
    },
    good: { data: { guardrailsResult: { Allowed: true, Reason: '', Modified: false } } },
    bad: { data: { guardrailsResult: { Allowed: false, Reason: 'Prompt injection', behaviour: 'block' } } },
    reasons: ['Prompt injection'],
  },
  {
    id: 'akto',
    parameters: { ...key, apiDomain: 'https://mine-guardrails.akto.io', host: 'shop' },
    origin: 'https://mine-guardrails.akto.io',
    path: '/api/http-proxy?response_guardrails=true&ingest_data=false',
    headers: { authorization: 'k-1' },
    body: expect.objectContaining({
      requestHeaders: '{"host":"shop"}',
      requestPayload: '{"body":"asked"}',
      responsePayload: JSON.stringify({ body: TEXT }),
    }),
    good: { data: { guardrailsResult: { Allowed: true } } },
    bad: { data: { guardrailsResult: { Allowed: false } } },
    reasons: ['not allowed'],
  },
  {
    id: 'cato',
    parameters: { ...key, userEmail: 'ann@example.com', keyAlias: 'shop' },
    phase: 'input',
    origin: 'https://api.aisec.catonetworks.com',
    path: '/fw/v1/analyze',
    headers: { ...bearer, 'x-cato-user-email': 'ann@example.com', 'x-cato-gateway-key-alias': 'shop' },
    body: { messages: user },
    good: { analysis_result: { policy_drill_down: {} }, required_action: null },
    bad: {
      analysis_result: { policy_drill_down: { PII: {} } },
      required_action: { action_type: 'block_action', policy_name: 'PII', detection_message: 'SSN' },
    },
    reasons: ['PII'],
  },
  {
    id: 'singulr',
    parameters: {
      ...key,
      apiBase: 'https://singulr.example/',
      enforcementEntityId: 'e-1',
      guardrailId: 'g-1',
    },
    origin: 'https://singulr.example',
    path: '/api/v1/ai-platform/controller/singulr-guardrails-litellm',
    headers: {
      ...bearer,
      'x-singulr-enforcement-entity-id': 'e-1',
      'x-singulr-guardrail-id': 'g-1',
    },
    body: { prompt: TEXT },
    good: { should_block: false, blocking_due_to: null },
    bad: { should_block: true, blocking_due_to: 'PII policy' },
    reasons: ['PII policy'],
  },
  {
    id: 'zscaler',
    parameters: { ...key, policyId: '760' },
    phase: 'input',
    origin: 'https://api.us1.zseclipse.net',
    path: '/v1/detection/execute-policy',
    headers: bearer,
    body: { content: TEXT, direction: 'IN', policyId: 760 },
    good: { transactionId: 't', statusCode: 200, action: 'DETECT', detectorResponses: {} },
    bad: {
      transactionId: 't',
      action: 'BLOCK',
      detectorResponses: {
        toxicity: { triggered: true, action: 'BLOCK' },
        pii: { triggered: true, action: 'DETECT' },
      },
    },
    reasons: ['toxicity'],
  },
  {
    id: 'zscaler',
    parameters: { ...key, apiBase: 'https://api.eu1.zseclipse.net' },
    origin: 'https://api.eu1.zseclipse.net',
    path: '/v1/detection/resolve-and-execute-policy',
    headers: bearer,
    body: { content: TEXT, direction: 'OUT' },
    good: { action: 'ALLOW' },
    bad: { action: 'BLOCK' },
    reasons: ['BLOCK'],
  },
];
