import { isObject, type JsonObject } from '../../lib/json.ts';
import { failureText, openAiError } from '../chat-completions/errors.ts';

/** Chat and responses have one envelope for errors. */
export function responsesErrorBody(status: number, body: unknown): JsonObject {
  if (isObject(body) && isObject(body.error)) return body;
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: openAiError(failureText(status, body), type) };
}
