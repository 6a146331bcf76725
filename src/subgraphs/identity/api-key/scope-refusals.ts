import { type ApiKeyType, holdersOf, type Scope } from '../../../auth/index.ts';
import { redactText } from '../../../lib/redaction.ts';
import { slips } from '../../../lib/slips.ts';

/** Scopes that a refusal offers in place of one that does not exist. */
const MAX_OFFERED = 3;

const whereTheListIs = 'GET /v1/scopes and the field scopeCatalogue list all of them.';

/** Why a text is no scope, with those of `valid` that look like it. */
export function unknownScope(given: string, valid: readonly Scope[]): string {
  const near = nearest(given, valid);
  const offer = near.length > 0 ? ` Did you mean ${inWords(near, 'or')}?` : '';
  // Somebody may have pasted a key in place of a scope.
  return `"${redactText(given)}" is not a scope.${offer} ${whereTheListIs}`;
}

/** Why a key of this type cannot hold a scope, and which type can. */
export const misplacedScope = (scope: Scope, type: ApiKeyType): string =>
  `A key of type ${type} cannot hold the scope ${scope}; one of type ${inWords(holdersOf(scope), 'or')} can.`;

/** The likest first; a third of the letters may be wrong. */
function nearest(given: string, valid: readonly Scope[]): Scope[] {
  const word = given.trim().toLowerCase().replaceAll(/[:/-]/g, '.');
  return valid
    .map((scope) => ({ scope, mistakes: slips(word, scope) }))
    .filter(({ scope, mistakes }) => mistakes <= Math.max(2, Math.floor(scope.length / 3)))
    .toSorted((one, other) => one.mistakes - other.mistakes)
    .slice(0, MAX_OFFERED)
    .map(({ scope }) => scope);
}

const inWords = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
