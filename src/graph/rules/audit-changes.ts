import { isSecretName, REDACTED, redactText } from '../../lib/redaction.ts';
import type { AuditChange, PlainValue } from '../../recording/audit/entry.ts';

type Document = Readonly<Record<string, unknown>>;

/** Members that say nothing of what somebody wanted. */
const uninteresting = new Set(['_id', 'organisationId', 'createdAt', 'lastUpdatedAt']);
/** Members of documents that hold secrets in some form, under whatever name. */
const holdsSecret = /hash|mask|seal|secret|credential|password|token/i;

/** Members of limits: lists of objects without secrets, each of which is shown as a line of JSON. */
const shownAsJson = new Set(['conditions', 'groupBy', 'usageLimits', 'rateLimits']);

const MAX_TEXT = 500;
const MAX_ITEMS = 200;
const MAX_NAME = 255;

/** What is different in a document, by member; empty where there was none before, or is none now. */
export function changesBetween(before: Document | undefined, after: Document | undefined): AuditChange[] {
  if (!before || !after) return [];
  return differences(opened(before), opened(after));
}

function differences(before: Document, after: Document): AuditChange[] {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return members
    .filter((member) => !uninteresting.has(member) && !isSame(before[member], after[member]))
    .sort()
    .map((member) => ({
      member,
      before: shown(member, before[member]),
      after: shown(member, after[member]),
    }));
}

/** Settings are many: each is a member by its path, such as `settings.switches.membersViewLogs`. */
const opened = ({ settings, ...document }: Document): Document => ({
  ...document,
  ...leavesOf(settings, 'settings'),
});

function leavesOf(value: unknown, path: string): Document {
  const isOpen =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
  // A JSON Schema among the settings stays whole.
  if (!isOpen || path.endsWith('Schema')) return value === undefined ? {} : { [path]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]) => leavesOf(inner, `${path}.${name}`)),
  );
}

/** What people call a document. */
export function nameOf(document: Document | undefined): string | null {
  const name =
    document?.name ?? document?.slug ?? document?.email ?? document?.principal ?? document?.filename;
  return typeof name === 'string' ? redactText(name).slice(0, MAX_NAME) : null;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function shown(member: string, value: unknown): PlainValue | null {
  if (value === null || value === undefined) return null;
  // Yes and no tell no secret, whatever they are called.
  if (typeof value === 'boolean') return value;
  if (holdsSecret.test(member) || isSecretName(member)) return REDACTED;
  if (!Array.isArray(value)) return plain(value);
  const readable = shownAsJson.has(member) ? value.map((item) => JSON.stringify(item)) : value;
  const items = readable.slice(0, MAX_ITEMS).map(plain);
  return items.every((item) => item !== null) ? items : null;
}

function plain(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return redactText(value).slice(0, MAX_TEXT);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return value instanceof Date ? value.toISOString() : null;
}
