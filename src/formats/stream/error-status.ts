import { isObject, type JsonObject } from '../../lib/json.ts';

/** The status of an error by its type or code: the one that providers send when the error is the whole answer. */
const statuses: Record<string, number> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  tokens: 429,
  requests: 429,
  RESOURCE_EXHAUSTED: 429,
  api_error: 500,
  server_error: 500,
  UNAVAILABLE: 503,
  timeout_error: 504,
  overloaded_error: 529,
};

/** The status that an error's type or code stands for; undefined for one that is not known. */
export const statusOfType = (type: unknown): number | undefined =>
  typeof type === 'string' && Object.hasOwn(statuses, type) ? statuses[type] : undefined;

/** The error in a payload, which may be the payload itself, its `error`, or the `error` of its `response`. */
export function errorIn(payload: JsonObject): JsonObject {
  if (isObject(payload.error)) return payload.error;
  if (isObject(payload.response) && isObject(payload.response.error)) return payload.response.error;
  return payload;
}

/** The status of an error event: the one that it names, or the one of its type or code; 500 when it has neither. */
export function statusOfError(payload: JsonObject): number {
  const error = errorIn(payload);
  const named = [error.status, error.status_code, error.code, payload.status_code, payload.code]
    .map(Number)
    .find((value) => Number.isInteger(value) && value >= 400 && value <= 599);
  if (named !== undefined) return named;
  return statusOfType(error.code) ?? statusOfType(error.type) ?? statusOfType(error.status) ?? 500;
}
