import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import { signatures } from '../../../lib/webhook-signature.ts';
import { type CheckFinding, defineCheck, type Phase } from '../../check.ts';
import { failable } from '../common.ts';
import { callReport } from './call-report.ts';
import { headersParameter, jsonAnswer, secretParameter, timeoutParameter, urlParameter } from './common.ts';
import { forwardedHeaders, forwardHeadersParameter } from './forwarded-headers.ts';

const parameters = z.strictObject({
  webhookURL: urlParameter.describe('Where the call is sent, as JSON by POST.'),
  headers: headersParameter.describe('Headers of that request.'),
  timeout: timeoutParameter(3_000),
  forwardHeaders: forwardHeadersParameter,
  secret: secretParameter
    .optional()
    .describe('Signs the request as Standard Webhooks has it: `whsec_` and base64, or any text.'),
  ...failable,
});

/** The most characters of what a webhook says besides its verdict, as JSON. */
const MAX_DATA = 4_096;

export const webhook = defineCheck({
  id: 'default.webhook',
  description: 'Passes when a service of yours says so; it may answer with a new body.',
  phases: ['input', 'output'],
  isRemote: true,
  parameters,
  edits: () => true,
  // The service gets the body: what it makes of texts in disguise is up to it.
  detects: () => false,
  timeoutMs: ({ timeout }) => timeout,
  prepare({ webhookURL: url, headers, timeout: timeoutMs, forwardHeaders, secret }) {
    return async (input, services) => {
      const body = callReport(input);
      const answer = await services.send({
        url,
        method: 'POST',
        headers: {
          ...forwardedHeaders(input.call, forwardHeaders),
          ...lowerCase(headers),
          'content-type': 'application/json',
          ...(secret === undefined ? {} : signed(secret, body)),
        },
        body,
        timeoutMs,
        signal: input.signal,
      });
      return findingOf(jsonAnswer('The webhook', answer), input.phase);
    };
  },
});

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function signed(secret: string, body: string): Record<string, string> {
  const id = `msg_${randomUUID()}`;
  const seconds = Math.floor(Date.now() / 1_000);
  const key = secret.startsWith('whsec_') ? secret : `whsec_${Buffer.from(secret).toString('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures([key], { id, seconds, body }),
  };
}

function findingOf(answer: unknown, phase: Phase): CheckFinding {
  if (!isObject(answer) || typeof answer.verdict !== 'boolean')
    throw new Error('The webhook answered without a verdict: true or false.');
  const body = transformed(answer.transformedData, phase);
  return {
    verdict: answer.verdict,
    data: isObject(answer.data) ? bounded(answer.data) : null,
    ...(body === null ? {} : { body }),
  };
}

function bounded(data: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(data);
  return text.length <= MAX_DATA ? data : { cut: text.slice(0, MAX_DATA) };
}

function transformed(data: unknown, phase: Phase): Record<string, unknown> | null {
  if (data === undefined || data === null) return null;
  const member = phase === 'input' ? 'request' : 'response';
  const changed = isObject(data) ? data[member] : undefined;
  if (changed === undefined || changed === null) return null;
  if (!isObject(changed) || !isObject(changed.json))
    throw new Error(`The webhook answered a transformedData.${member}.json that is no object.`);
  return changed.json;
}
