import { formatEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Endpoint } from '../../providers/index.ts';
import { denialError } from './denial.ts';
import type { LegGuardrails } from './leg-guardrails.ts';

/** What of a stream went out before it was refused. */
export type SentEvents = {
  /** The first event with JSON. */
  first: JsonObject | null;
  /** Choices of which something was seen. */
  choices: ReadonlySet<number>;
  /** Index of a block of a message that was opened and not closed; null for none. */
  openBlock: number | null;
  lastSequence: number;
};

/** The events that end a stream which a guardrail refuses: the answer is over, and why. Nothing says that it is complete. */
export function denialEvents(endpoint: Endpoint, guards: LegGuardrails, sent: SentEvents): string {
  const { message, entry } = denialError(guards);
  const hook_results = guards.results;
  if (endpoint === 'messages') return messagesEnd(message, hook_results, sent);
  if (endpoint === 'createResponse') return responseEnd(message, hook_results, sent);
  const error = { error: { message, type: entry.type, param: null, code: null }, hook_results };
  const isCompletion = endpoint === 'chatComplete' || endpoint === 'complete';
  return (
    (isCompletion ? finishedChoices(endpoint, sent) : '') +
    formatEvent(isCompletion ? null : 'error', JSON.stringify(error))
  );
}

function finishedChoices(endpoint: Endpoint, { first, choices }: SentEvents): string {
  const { choices: _choices, usage: _usage, ...head } = first ?? {};
  const part = endpoint === 'chatComplete' ? { delta: {} } : { text: '' };
  const finished = [...choices].map((index) => ({
    index,
    ...part,
    logprobs: null,
    finish_reason: 'content_filter',
  }));
  return formatEvent(null, JSON.stringify({ ...head, choices: finished }));
}

function messagesEnd(message: string, hook_results: unknown, { openBlock }: SentEvents): string {
  const event = (type: string, members: JsonObject) =>
    formatEvent(type, JSON.stringify({ type, ...members }));
  return [
    openBlock === null ? '' : event('content_block_stop', { index: openBlock }),
    event('message_delta', {
      delta: { stop_reason: 'refusal', stop_sequence: null },
      usage: { output_tokens: 0 },
    }),
    event('error', { error: { type: 'invalid_request_error', message }, hook_results }),
  ].join('');
}

function responseEnd(message: string, hook_results: unknown, { first, lastSequence }: SentEvents): string {
  const begun = isObject(first?.response) ? first.response : {};
  const response = {
    ...begun,
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
    output: [],
  };
  const event = (type: string, members: JsonObject, after: number) =>
    formatEvent(type, JSON.stringify({ type, ...members, sequence_number: lastSequence + after }));
  return (
    event('response.incomplete', { response }, 1) +
    event('error', { code: 'hooks_failed', message, param: null, hook_results }, 2)
  );
}
