import { splitUrl } from '../../lib/http/request-url.ts';
import { redactQuery, redactText } from '../../lib/redaction.ts';
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

function safeUrl(url: string): string {
  const { path, query } = splitUrl(url);
  return redactText(path) + (query && `?${redactQuery(query)}`);
}
