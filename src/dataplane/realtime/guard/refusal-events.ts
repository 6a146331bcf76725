import { inferenceBody } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { denialError } from '../../guardrails/denial.ts';
import type { LegGuardrails } from '../../guardrails/leg-guardrails.ts';

const newEventId = (): string => `event_${uuid()}`;

/** Tells a caller that guardrails refused something. `eventId`: of the caller's event, if that was refused. */
export function refusalEvent(guards: LegGuardrails, eventId: unknown): string {
  const { error, ...beside } = inferenceBody(denialError(guards)) as { error: JsonObject };
  const about = typeof eventId === 'string' ? eventId.slice(0, 512) : null;
  return JSON.stringify({
    type: 'error',
    event_id: newEventId(),
    error: { ...error, code: 'hooks_failed', event_id: about },
    ...beside,
  });
}

/** Has the provider end an answer of which no more is wanted. */
export const cancelEvent = (responseId: string): string =>
  JSON.stringify({ type: 'response.cancel', event_id: newEventId(), response_id: responseId });

/** The end of an answer that was refused: nothing of what it says, but what it cost. `done`: the provider's own. */
export function refusedEnd(done: JsonObject): string {
  const response = isObject(done.response) ? done.response : {};
  const { id, object, conversation_id, usage } = response;
  return JSON.stringify({
    type: 'response.done',
    event_id: newEventId(),
    response: {
      ...{ id, object, conversation_id },
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'content_filter' },
      output: [],
      usage,
    },
  });
}
