import { isObject, type JsonObject } from '../../lib/json.ts';
import { failureText } from '../chat-completions/errors.ts';

const types = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** An error in Anthropic's envelope; what guardrails found, and which limit was met, stays beside it. */
export function messagesErrorBody(status: number, body: unknown): JsonObject {
  const type = types.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return {
    type: 'error',
    error: { type, message: messageOf(status, body) },
    ...(isObject(body) && 'hook_results' in body && { hook_results: body.hook_results }),
    ...(isObject(body) && isObject(body.limit) && { limit: body.limit }),
  };
}

/** The envelope has no place for the field at fault: it stands in front of the text. */
function messageOf(status: number, body: unknown): string {
  const text = failureText(status, body);
  const param = isObject(body) && isObject(body.error) ? body.error.param : null;
  return typeof param === 'string' && !text.includes(param) ? `${param}: ${text}` : text;
}
