import { isObject, type JsonObject } from '../../lib/json.ts';

/** The statuses with which providers send these errors when they come as an answer of their own. */
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

/** An error may stand at the top, in `error`, or in the `error` of a `response`. */
export function errorIn(payload: JsonObject): JsonObject {
  if (isObject(payload.error)) return payload.error;
  if (isObject(payload.response) && isObject(payload.response.error)) return payload.response.error;
  return payload;
}

/** The status of an error event: the one that it names, or that of its kind; 500 when it gives neither. */
export function statusOfError(payload: JsonObject): number {
  const error = errorIn(payload);
  const named = [error.status, error.status_code, error.code, payload.status_code, payload.code]
    .map(Number)
    .find((value) => Number.isInteger(value) && value >= 400 && value <= 599);
  if (named !== undefined) return named;
  return statusOfType(error.code) ?? statusOfType(error.type) ?? statusOfType(error.status) ?? 500;
}
