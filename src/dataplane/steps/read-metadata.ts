import { labels, requestMetadata } from '../../auth/labels.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { isObject } from '../../lib/json.ts';
import type { Call } from '../call/call.ts';
import { fieldOf } from '../forms/form.ts';
import type { CallStep } from './call-step.ts';

/**
 * Metadata of the call: `baggage` under the headers that count as metadata, these under `x-gateway-metadata`, and all under
 * the key's and the workspace's own. What is not a JSON object counts as empty; values are strings of at most 128
 * characters.
 */
export const readMetadata: CallStep = (call, { headers }) => {
  const fromHeaders = headers.toMetadata.length > 0 ? headerMetadata(call, headers.toMetadata) : null;
  const asked = { ...baggage(call), ...fromHeaders, ...ownMetadata(call) };
  call.metadata = requestMetadata(userOf(call), asked, call.key.principal);
};

function userOf({ body }: Call): unknown {
  if (body.kind === 'json') return body.value.user;
  return body.kind !== 'none' && body.form ? fieldOf(body.form, 'user') : undefined;
}

/** Metadata out of the headers that the operator names for it. */
const headerMetadata = (call: Call, names: readonly string[]): Record<string, string> =>
  labels(names.map((name) => [name, headerOf(call.headers, name)]));

function ownMetadata(call: Call): Record<string, string> {
  const text = headerOf(call.headers, 'x-gateway-metadata');
  return text ? labels(Object.entries(parseObject(text))) : {};
}

/** W3C `baggage`: `name=value;property,...`, values percent-encoded. */
function baggage(call: Call): Record<string, string> {
  const text = headerOf(call.headers, 'baggage');
  if (!text) return {};
  const members = text.split(',').map((member) => /^\s*([^\s=;]+)\s*=\s*([^;]*?)\s*(?:;|$)/.exec(member));
  return labels(members.flatMap((match) => (match ? [[match[1] ?? '', decode(match[2] ?? '')]] : [])));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // Not percent-encoded after all.
    return value;
  }
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    // Metadata that cannot be parsed counts as none: labels must not fail a completion.
    return {};
  }
}
