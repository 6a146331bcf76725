import type { CheckedCall } from '../../guardrails/check.ts';
import { isObject } from '../../lib/json.ts';
import type { Leg } from '../leg/leg.ts';
import { namedModel } from '../target/requested-model.ts';
import { requestTypeOf } from './request-type.ts';

/** What checks may know of a call. `request` and `response`: JSON bodies as they are at this moment. */
export function checkedCall(
  { call, target }: Pick<Leg, 'call' | 'target'>,
  request: unknown,
  response: CheckedCall['response'],
): CheckedCall {
  const { key, metadata, headers, workspaceId, trace } = call;
  return {
    requestType: requestTypeOf(call),
    model: target.model ?? namedModel(call.body),
    provider: target.provider.id,
    metadata,
    headers,
    isStream: isObject(request) && request.stream === true,
    organisationId: key.principal.organisationId,
    workspaceId,
    traceId: trace.traceId,
    request: isObject(request) ? request : null,
    response,
  };
}
