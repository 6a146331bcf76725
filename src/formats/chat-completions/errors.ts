import { isObject, type JsonObject } from '../../lib/json.ts';

/** The `error` of a body, as OpenAI's clients read it. `more` takes the place of what stands here, or stands beside it. */
export const openAiError = (message: string, type: string | null, more: JsonObject = {}): JsonObject => ({
  message,
  type,
  param: null,
  code: null,
  ...more,
});

/** The body of a provider's error in OpenAI's format: `provider` says whose error it is. */
export const providerErrorBody = (
  provider: string,
  message: string,
  type: string | null,
  more?: JsonObject,
) => ({ error: openAiError(message, type, more), provider });

/** The text of an error that came in the place of an answer or of a chunk; null when it is none. */
export function errorText({ error }: JsonObject): string | null {
  if (typeof error === 'string') return error;
  if (!isObject(error)) return null;
  return typeof error.message === 'string' ? error.message : 'The provider reported an error.';
}

/** Characters of a body that is no JSON, such as the page of a proxy, in an error message. */
const MAX_FAILURE_TEXT = 1000;

/** The message in the body of a failed request, in whatever form the body has it. */
export function failureText(status: number, body: unknown): string {
  if (typeof body === 'string' && body !== '') return body.slice(0, MAX_FAILURE_TEXT);
  if (isObject(body)) {
    const text = errorText(body) ?? body.message;
    if (typeof text === 'string' && text !== '') return text;
  }
  return `The request failed with the status ${status}.`;
}
