import { isSecretName } from '../lib/redaction.ts';

/** What a config's conditions and sticky fields may know of a call. */
export type Facts = {
  metadata: Readonly<Record<string, unknown>>;
  /** The body's members; empty for a body that is not JSON. */
  params: Readonly<Record<string, unknown>>;
  /** Under names in lower case. */
  headers: Readonly<Record<string, unknown>>;
  pathname: string;
};

export type Primitive = string | number | boolean | null;
/** Undefined when the call has no such value, or none that can be compared. */
export type FactLookup = (facts: Facts) => Primitive | undefined;

/** Headers that no condition may read: credentials, and configs, which contain credentials. */
const isHidden = (header: string): boolean => header === 'x-gateway-config' || isSecretName(header);

/**
 * Finds the value that `metadata.<key>`, `params.<key>`, `headers.<name>` or `url.pathname` names; `depth` is how
 * many segments may follow the first. For any other name it answers what is wrong.
 */
export function lookupOf(name: string, depth = 1): FactLookup | { problem: string } {
  if (name === 'url.pathname') return ({ pathname }) => pathname;
  const [root, ...keys] = name.split('.');
  const isKnown = root === 'metadata' || root === 'params' || root === 'headers';
  if (!isKnown || keys.length === 0 || keys.length > depth || keys.includes('')) {
    return { problem: `${name} is not metadata.<key>, params.<key>, headers.<name> or url.pathname` };
  }
  if (root !== 'headers') return (facts) => valueAt(facts[root], keys);
  const header = keys.join('.').toLowerCase();
  if (isHidden(header)) return { problem: `${name} is a credential, which configs do not see` };
  return ({ headers }) => valueAt(headers, [header]);
}

function valueAt(holder: unknown, keys: readonly string[]): Primitive | undefined {
  let value = holder;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return isPrimitive(value) ? value : undefined;
}

export const isPrimitive = (value: unknown): value is Primitive =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
