import type { JWTPayload } from 'jose';
import { valueMatch } from '../pattern/value-match.ts';
import type { JwtParameters } from './parameters.ts';

type Claims = Readonly<JWTPayload>;

/** Says what is wrong with the claims of a token; null where nothing is. */
export function claimRules({
  requiredClaims,
  claimValues,
}: JwtParameters): (claims: Claims) => string | null {
  const rules = Object.entries(claimValues).map(
    ([name, { values, matchType }]) => [name, valueMatch(values, matchType)] as const,
  );
  return (claims) => {
    const missing = requiredClaims.find((name) => !Object.hasOwn(claims, name));
    if (missing !== undefined) return `The token lacks the claim ${missing}.`;
    const wrong = rules.find(([name, matches]) => !matches(valuesOf(claims, name)));
    return wrong === undefined ? null : `The claim ${wrong[0]} of the token has another value.`;
  };
}

/** A claim as texts: of a list, its members; of `scope`, its words. */
function valuesOf(claims: Claims, name: string): string[] {
  if (!Object.hasOwn(claims, name)) return [];
  const claim = claims[name];
  return (Array.isArray(claim) ? claim : [claim]).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
}

/** Claims as headers of the request to the provider. */
export function claimHeaders(
  claims: Claims,
  { extractClaims, claimPrefix }: JwtParameters,
): Record<string, string> {
  const entries = extractClaims.flatMap((name) => {
    const values = valuesOf(claims, name);
    const header = claimPrefix + name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
    return values.length === 0 ? [] : [[header, encodeHeader(values.join(','))] as const];
  });
  return Object.fromEntries(entries);
}

/** Characters that no header may have are percent-encoded. */
const encodeHeader = (value: string): string =>
  value.replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
