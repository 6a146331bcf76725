import { LRUCache } from 'lru-cache';
import { splitUrl } from '../../lib/http/request-url.ts';
import { isSecretName, REDACTED, redact, redactQuery, redactText } from '../../lib/redaction.ts';
import type { Headers } from './draft.ts';
import { fieldRows } from './fields.ts';
import type { LogRecord } from './record.ts';

type Members = Record<string, unknown>;

/** How each kind of field that may hold a secret is masked. */
const masks = {
  text: (value: unknown) => redactText(value as string),
  url: (value: unknown) => safeUrl(value as string),
  labels: (value: unknown) => safeLabels(value as Record<string, string>),
};

const masked = fieldRows.flatMap(([name, { secret }]) => (secret ? [{ name, mask: masks[secret] }] : []));

/** Masks in place what looks like a secret, wherever callers may write; a copy would lose the record's compact shape. */
export function maskRecord(record: LogRecord): void {
  const members: Members = record;
  for (const { name, mask } of masked) if (members[name] !== null) members[name] = mask(members[name]);
}

function safeLabels(labels: Record<string, string>): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name in labels) safe[redactText(name)] = redactText(labels[name] ?? '');
  return safe;
}

export function safeHeaders(headers: Headers, sensitive: string[]): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const hidden = isSecretName(name) || sensitive.includes(name);
    safe[name] = hidden
      ? REDACTED
      : name === 'x-gateway-config'
        ? redactConfig(String(value))
        : redactText(String(value));
  }
  return safe;
}

const safeConfigs = new LRUCache<string, string>({ max: 200 });

/** An inline config may carry provider keys; a saved one is only a slug. What is neither is not kept. */
function redactConfig(value: string): string {
  if (!/^\s*[{[]/.test(value)) return redactText(value);
  let safe = safeConfigs.get(value);
  if (safe === undefined) {
    safe = redactJson(value);
    safeConfigs.set(value, safe);
  }
  return safe;
}

function redactJson(text: string): string {
  try {
    return JSON.stringify(redact(JSON.parse(text)));
  } catch {
    // Not JSON: the caller was told, and secrets in it cannot be told from the rest.
    return REDACTED;
  }
}

function safeUrl(url: string): string {
  const { path, query } = splitUrl(url);
  return redactText(path) + (query && `?${redactQuery(query)}`);
}
