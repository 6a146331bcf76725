import { GatewayError } from '../../errors/index.ts';
import { errorBodyFor, wholeFormatOf } from '../../formats/index.ts';
import type { PreparedGuardrail } from '../../guardrails/index.ts';
import { uuid } from '../../lib/ids.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Endpoint } from '../../providers/index.ts';
import type { LegGuardrails } from './leg-guardrails.ts';

/** An answer in the gateway's words. */
export type OwnAnswer = { status: number; headers: Record<string, string>; body: Buffer };

/** Whom a refusal answers, and how. */
type Refused = { endpoint: Endpoint; model: string | null; isStream: boolean };

const MESSAGE =
  'The guardrails checks defined in the config failed. You can find more information in the `hook_results` object.';

/** The error of every call while a guardrail that is enforced on it is gone, or cannot be run. */
export const brokenGuardrail = (id: string): GatewayError =>
  new GatewayError('GUARDRAIL_BROKEN', {
    message: `The enforced guardrail ${id} is gone or broken: no call goes on without it.`,
  });

/** The error of a refused call. */
export const denialError = (guards: LegGuardrails): GatewayError =>
  new GatewayError('GUARDRAIL_DENIED', { message: MESSAGE, beside: { hook_results: guards.results } });

/**
 * The answer to a call that a guardrail refuses: an error or, where the guardrail asks for that and the endpoint's answers
 * have a place for words, a normal answer that carries the message.
 */
export function denialAnswer(
  { softDeny }: PreparedGuardrail,
  guards: LegGuardrails,
  refused: Refused,
  usage: unknown = null,
): OwnAnswer {
  const soft = softDeny ? softAnswer(refused, guards) : null;
  if (soft !== null) return soft;
  const error = denialError(guards);
  const { status: _status, message: _message, ...body } = errorBodyFor(refused.endpoint, error);
  return jsonAnswer(error.entry.status, isObject(usage) ? { ...body, usage } : body);
}

function jsonAnswer(status: number, value: JsonObject, type = 'application/json'): OwnAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': type, 'content-length': String(body.length) }, body };
}

function softAnswer({ endpoint, model, isStream }: Refused, guards: LegGuardrails): OwnAnswer | null {
  const answer = shapes[endpoint]?.(model ?? '');
  if (!answer) return null;
  const format = isStream ? wholeFormatOf(endpoint) : undefined;
  if (!format) return jsonAnswer(200, { ...answer, hook_results: guards.results });
  const body = Buffer.from(format.replay(answer, { withUsage: false }));
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body };
}

const now = (): number => Math.floor(Date.now() / 1000);

/** The shortest whole answer of each endpoint that carries the message. */
const shapes: Partial<Record<Endpoint, (model: string) => JsonObject>> = {
  chatComplete: (model) => ({
    id: `chatcmpl-${uuid()}`,
    object: 'chat.completion',
    created: now(),
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content: MESSAGE }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  }),
  complete: (model) => ({
    id: `cmpl-${uuid()}`,
    object: 'text_completion',
    created: now(),
    model,
    choices: [{ index: 0, text: MESSAGE, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  }),
  messages: (model) => ({
    id: `msg_${uuid()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: MESSAGE }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  }),
  createResponse: (model) => ({
    id: `resp_${uuid()}`,
    object: 'response',
    created_at: now(),
    status: 'completed',
    model,
    output: [
      {
        id: `msg_${uuid()}`,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: MESSAGE, annotations: [] }],
      },
    ],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  }),
};
