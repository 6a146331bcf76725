import { isObject } from '../../lib/json.ts';
import { failureText } from '../chat-completions/errors.ts';
import type { Fields } from '../over-chat/fields.ts';

/** Chat and responses have one envelope for errors. */
export function responsesErrorBody(status: number, body: unknown): Fields {
  if (isObject(body) && isObject(body.error)) return body;
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message: failureText(status, body), type, param: null, code: null } };
}
