import { providerErrorBody } from '../../formats/chat-completions/errors.ts';
import { errorIn } from '../../formats/stream/error-status.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';
import { maskedText } from '../../lib/masked-text.ts';
import { redactText } from '../../lib/redaction.ts';
import { isNestedDeeperThan } from '../../lib/storable.ts';
import { type Keeper, secretsOf } from './quoted-secrets.ts';

/** Levels of an error that are told as JSON: what can be read may be too deep to be written again. */
const MAX_DEPTH = 100;
/** Characters of a text that is no JSON which are told. */
const MAX_TEXT = 1000;

/** A provider's error: the JSON object that it sent, or the text where it sent something else. */
export type ProviderError = JsonObject | string;

export function parsedError(bytes: Buffer): ProviderError {
  const text = bytes.toString('utf8').trim();
  // The object may stand alone in a list.
  const payload = parsedObject(text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text);
  return payload === null || isNestedDeeperThan(MAX_DEPTH, payload) ? text : payload;
}

/** The answer's text, without the credential and whatever else looks like one. */
export function errorText(keeper: Keeper, status: number, error: ProviderError): string {
  const secrets = secretsOf(keeper);
  const withoutSecrets = (_name: string, value: unknown) =>
    typeof value === 'string' ? maskedText(value, secrets) : value;
  return redactText(JSON.stringify(errorBody(keeper.provider.id, status, error), withoutSecrets));
}

/**
 * A provider's error as callers get it: all that the provider said stays, `error` has the members that OpenAI's clients
 * read, and `provider` says whose error it is.
 */
export function errorBody(provider: string, status: number, error: ProviderError): JsonObject {
  if (typeof error === 'string') {
    return providerErrorBody(provider, textMessage(provider, status, error), 'api_error');
  }
  const said = errorIn(error);
  const message = messageOf(said, error) ?? `${provider} answered ${status}.`;
  return { ...error, error: { ...unsaid, ...(said === error ? named(error) : said), message }, provider };
}

const unsaid = { type: 'api_error', param: null, code: null };

/** Of an error whose members stand around it, those that belong in it. */
function named({ type, param, code }: JsonObject): JsonObject {
  return {
    ...(typeof type === 'string' && type !== 'error' && { type }),
    ...(param !== undefined && { param }),
    ...(code !== undefined && { code }),
  };
}

/** The message, in whichever member the provider put it. */
function messageOf(said: JsonObject, whole: JsonObject): string | null {
  for (const value of [said.message, whole.error, whole.message, whole.detail, said.detail, said.error]) {
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) || isObject(value)) return JSON.stringify(value).slice(0, MAX_TEXT);
  }
  return null;
}

/** A text that is no JSON, such as a page of HTML, without its tags. */
function textMessage(provider: string, status: number, text: string): string {
  const words = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const answered = `${provider} answered ${status}`;
  return words === '' ? `${answered} without a message.` : `${answered}: ${words.slice(0, MAX_TEXT)}`;
}
