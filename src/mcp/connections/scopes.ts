/** Characters of a challenge that are read, and of the scopes that a sign-in asks for. */
const MAX_HEADER = 8192;
const MAX_SCOPE = 512;

/** A member of `www-authenticate` as a server wrote it; null for none. */
export const challengeMember = (header: string, name: string): string | null =>
  new RegExp(`\\b${name}="([^"]{1,2048})"`, 'i').exec(header.slice(0, MAX_HEADER))?.[1] ?? null;

const scopesIn = (text: string | null): string[] => (text ?? '').split(' ').filter((scope) => scope !== '');

/** All scopes of two lists, each once; null for none. */
export function unionOf(one: string | null, other: string | null): string | null {
  const union = [...new Set([...scopesIn(one), ...scopesIn(other)])];
  return union.length === 0 ? null : union.join(' ');
}

/**
 * The scopes to sign in with anew, where a server has refused a token for having too few: those that were asked for before, and those
 * that it names. Null where it says nothing of scopes, or names none that was not asked for before: then another sign-in ends in
 * the same refusal.
 */
export function widerScope(challenge: string, asked: string | null): string | null {
  if (challengeMember(challenge, 'error') !== 'insufficient_scope') return null;
  const wanted = challengeMember(challenge, 'scope');
  if (wanted === null || !/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(wanted)) return null;
  const before = new Set(scopesIn(asked));
  if (scopesIn(wanted).every((scope) => before.has(scope))) return null;
  const union = unionOf(asked, wanted);
  return union !== null && union.length <= MAX_SCOPE ? union : null;
}
