import type { CheckedCall } from '../../guardrails/check.ts';
import type { CheckedBody } from '../../guardrails/engine/index.ts';
import { inScope, readJson } from '../../guardrails/segments/index.ts';
import { isObject } from '../../lib/json.ts';
import type { Leg } from '../leg/leg.ts';
import { namedModel } from '../target/requested-model.ts';
import { inNameOf } from './callers.ts';
import { requestTypeOf } from './request-type.ts';

type Checked = Pick<CheckedBody, 'value' | 'isEdited'>;
type CheckedAnswer = Checked & { status: number };

/** What checks may know of a call while its request, or the answer to it, is checked: as they are at this moment. */
export function checkedCall(
  { call, target }: Pick<Leg, 'call' | 'target'>,
  request: Checked,
  answer: CheckedAnswer | null,
): CheckedCall {
  const { key, metadata, headers, workspaceId, trace } = call;
  const asked = isObject(request.value) ? request.value : null;
  return inNameOf(key, {
    requestType: requestTypeOf(call),
    model: target.model ?? namedModel(call.body),
    provider: target.provider.id,
    metadata,
    headers,
    isStream: asked?.stream === true,
    organisationId: key.principal.organisationId,
    workspaceId,
    traceId: trace.traceId,
    request: asked,
    response: answer && { status: answer.status, body: answer.value },
    isTransformed: { request: request.isEdited, response: answer?.isEdited ?? false },
    requestText: () => lastTurnOf(asked),
  });
}

const lastTurnOf = (request: unknown): string =>
  inScope(readJson(request, 'input'), 'last')
    .map(({ text }) => text)
    .join('\n');
