import { isObject } from '../../../lib/json.ts';
import type { CheckInput } from '../../check.ts';

/** The most bytes of a report. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What a service of the customer is told of a call, as JSON. The caller's headers are left out. */
export function callReport({ phase, call, text }: CheckInput): string {
  const isInput = phase === 'input';
  const report = JSON.stringify({
    request: {
      json: call.request ?? {},
      text: isInput ? text : call.requestText(),
      isStreamingRequest: call.isStream,
      isTransformed: call.isTransformed.request,
    },
    response: {
      json: isObject(call.response?.body) ? call.response.body : {},
      text: isInput ? '' : text,
      statusCode: call.response?.status ?? null,
      isTransformed: call.isTransformed.response,
    },
    provider: call.provider,
    requestType: call.requestType,
    metadata: call.metadata,
    eventType: isInput ? 'beforeRequestHook' : 'afterRequestHook',
  });
  if (Buffer.byteLength(report) > MAX_BYTES)
    throw new Error('The call is longer than the 4 MB that are sent to a service.');
  return report;
}
