import { customHostProblem } from '../lib/http/custom-host.ts';
import { isObject } from '../lib/json.ts';

/**
 * A setting that a provider takes beside its key. Its name in snake_case, such as `aws_region`, is the key in a config and in
 * an integration's configurations; a request sends it as `x-gateway-aws-region`.
 */
export type Setting = {
  /** Sealed in the store and masked in answers. */
  secret?: true;
  /**
   * A request may choose it even where the credential is a stored one. Never a setting that decides which host the
   * credential goes to.
   */
  byRequest?: true;
  /** An address by itself, such as a base URL: no request brings one where the gateway uses saved configs alone. */
  address?: true;
  /** What a value must look like; needed by every setting that becomes part of a host or path. */
  pattern?: RegExp;
  /** Further names in a config. */
  aliases?: readonly string[];
  /** The text of a JSON object, which a config and an integration may also write as the object itself. */
  object?: true;
  /** Of a JSON list, which a config and an integration may also write as the list itself: why it cannot be this setting. */
  list?: (items: unknown) => string | null;
};

export type ProviderSettings = Readonly<Record<string, string>>;

/** A part of a host name, such as a region or a resource. */
export const HOST_PART = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** A part of a path, which does not lead out of it. */
export const PATH_PART = /^(?!\.{1,2}$)[\w.:@-]{1,255}$/;

const MAX_PLAIN = 1024;
/** A service account's JSON, a private key or a list. */
const MAX_LONG = 16 * 1024;

/** Why a value cannot be this setting, in words that continue "must be"; null when it can. */
export function settingProblem({ secret, pattern, list, address }: Setting, value: string): string | null {
  const most = secret || list ? MAX_LONG : MAX_PLAIN;
  if (value === '' || value.length > most) return `a text of 1 to ${most} characters`;
  if (pattern && !pattern.test(value)) return `a text that matches ${pattern}`;
  if (address && customHostProblem(value)) return 'an address that may be called';
  return list ? list(parsed(value)) : null;
}

/** What an integration says of a setting, as the text that it is: lists and objects may be written as such. */
export const settingText = ({ list, object }: Setting, value: unknown): unknown =>
  (list && Array.isArray(value)) || (object && isObject(value)) ? JSON.stringify(value) : value;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No list either.
    return undefined;
  }
}

const headers = new Map<string, string>();

/** Of the name of a setting that a provider has. */
export function headerOfSetting(name: string): string {
  let header = headers.get(name);
  if (header === undefined) {
    header = `x-gateway-${name.replaceAll('_', '-')}`;
    headers.set(name, header);
  }
  return header;
}

/** What may stand in a header. */
export const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
