import { customHostProblem } from '../lib/http/custom-host.ts';
import type { SecretAuth, SecretManager } from './manager.ts';

/** A member that was not taken: `problem` continues the member's name, as in "must be a text". */
export class AuthConfigProblem extends Error {
  readonly member: string;

  constructor(member: string, problem: string) {
    super(`auth_config.${member} ${problem}.`);
    this.member = member;
  }
}

const MAX_TEXT = 8192;
const MASK_PREFIX = 'masked_';

/**
 * An auth config put together of what is stored and what was given, checked for its manager. A given null takes a member
 * away, and a `masked_<member>` with the mask that was shown keeps the stored one. Throws an AuthConfigProblem.
 */
export function mergedAuth(
  manager: SecretManager,
  stored: SecretAuth,
  given: Readonly<Record<string, unknown>>,
  maskOf: (secret: string) => string,
): SecretAuth {
  const { wayMember, ways } = manager;
  const named = given[wayMember] ?? stored[wayMember];
  const way = typeof named === 'string' && Object.hasOwn(ways, named) ? ways[named] : undefined;
  if (!way) throw new AuthConfigProblem(wayMember, `must be one of ${Object.keys(ways).join(', ')}`);
  const taken = [...way.required, ...(way.optional ?? [])];
  const merged: Record<string, string> = { [wayMember]: String(named) };
  for (const name of taken) if (stored[name] !== undefined) merged[name] = stored[name];
  for (const [name, value] of Object.entries(given)) {
    if (name === wayMember || isShownMask(name, value, stored, maskOf)) continue;
    if (!taken.includes(name))
      throw new AuthConfigProblem(
        name,
        `is not taken with ${wayMember} ${named}, which takes ${taken.join(', ')}`,
      );
    if (value === null) delete merged[name];
    else merged[name] = checked(manager, name, value);
  }
  for (const name of way.required)
    if (merged[name] === undefined) throw new AuthConfigProblem(name, `is needed with ${wayMember} ${named}`);
  requireOwnSecrets(manager, stored, given, merged);
  return merged;
}

function isShownMask(
  name: string,
  value: unknown,
  stored: SecretAuth,
  maskOf: (secret: string) => string,
): boolean {
  if (!name.startsWith(MASK_PREFIX)) return false;
  const secret = stored[name.slice(MASK_PREFIX.length)];
  return secret !== undefined && maskOf(secret) === value;
}

function checked({ members }: SecretManager, name: string, value: unknown): string {
  const { pattern, isAddress } = members[name] ?? {};
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT)
    throw new AuthConfigProblem(name, `must be a text of 1 to ${MAX_TEXT} characters`);
  if (pattern && !pattern.test(value))
    throw new AuthConfigProblem(name, `must be a text that matches ${pattern}`);
  const problem = isAddress ? customHostProblem(value) : null;
  if (problem) throw new AuthConfigProblem(name, `is refused: ${problem.replace('custom host', 'manager')}`);
  if (isAddress && /[?#]/.test(value)) throw new AuthConfigProblem(name, 'must be a URL without a query');
  return value;
}

/** Stored credentials are write-only: whoever points a reference elsewhere must bring those that go there. */
function requireOwnSecrets(
  { members }: SecretManager,
  stored: SecretAuth,
  given: Readonly<Record<string, unknown>>,
  merged: SecretAuth,
): void {
  const names = Object.keys(members);
  const moves = names.some(
    (name) =>
      members[name]?.isAddress &&
      stored[name] !== undefined &&
      originOf(stored[name]) !== originOf(merged[name]),
  );
  if (!moves) return;
  const held = names.find(
    (name) => members[name]?.masked && merged[name] !== undefined && typeof given[name] !== 'string',
  );
  if (held !== undefined) throw new AuthConfigProblem(held, 'must be sent again, since the address changes');
}

const originOf = (url: string | undefined): string | null => (url === undefined ? null : new URL(url).origin);

/** An auth config as administrators see it: secrets as `masked_<member>` alone. */
export const shownAuth = (
  { members }: SecretManager,
  auth: SecretAuth,
  maskOf: (secret: string) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(auth).map(([name, value]) =>
      members[name]?.masked ? [`${MASK_PREFIX}${name}`, maskOf(value)] : [name, value],
    ),
  );
