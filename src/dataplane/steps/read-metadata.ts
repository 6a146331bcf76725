import { type Call, headerOf } from '../call.ts';
import type { Step } from '../steps.ts';

const MAX_KEYS = 64;
const MAX_VALUE_LENGTH = 128;

/**
 * Metadata of the call: the request's `x-gateway-metadata` under the key's and the workspace's own (spec/data-plane.md,
 * section 8.2). What is not a JSON object counts as empty; values are strings of at most 128 characters.
 */
export const readMetadata: Step = (call) => {
  const { principal, metadata: fixed } = call.key;
  call.metadata = { ...userOf(call), ...requestMetadata(call), ...fixed };
  if (principal.userId) call.metadata._user = principal.userId;
};

function userOf(call: Call): Record<string, string> {
  const user = call.body.kind === 'json' ? call.body.value.user : undefined;
  return typeof user === 'string' && user !== '' ? { _user: user.slice(0, MAX_VALUE_LENGTH) } : {};
}

function requestMetadata(call: Call): Record<string, string> {
  const text = headerOf(call.headers, 'x-gateway-metadata');
  if (!text) return {};
  const members = Object.entries(parseObject(text)).slice(0, MAX_KEYS);
  return Object.fromEntries(
    members
      .filter((member): member is [string, string | number | boolean] => isPlain(member[1]))
      // The database has no names with a NUL.
      .filter(([key]) => !key.includes('\0'))
      .map(([key, value]) => [key, String(value).slice(0, MAX_VALUE_LENGTH)]),
  );
}

const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    // The specification treats unparsable metadata as none: labels must not fail a completion.
    return {};
  }
}
