import { isObject, type JsonObject } from '../../lib/json.ts';

/** The text of an error that came in the place of an answer or of a chunk; null when it is none. */
export function errorText({ error }: JsonObject): string | null {
  if (typeof error === 'string') return error;
  if (!isObject(error)) return null;
  return typeof error.message === 'string' ? error.message : 'The provider reported an error.';
}

/** Characters of a body that is no JSON, such as the page of a proxy, in an error message. */
const MAX_FAILURE_TEXT = 1000;

/** What a body says of a failed request, however it spells it. */
export function failureText(status: number, body: unknown): string {
  if (typeof body === 'string' && body !== '') return body.slice(0, MAX_FAILURE_TEXT);
  if (isObject(body)) {
    const text = errorText(body) ?? body.message;
    if (typeof text === 'string' && text !== '') return text;
  }
  return `The request failed with the status ${status}.`;
}
