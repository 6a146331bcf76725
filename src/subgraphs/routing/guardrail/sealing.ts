import { invalidInput } from '../../../errors/index.ts';
import {
  type CheckEntry,
  destinationsOf,
  mapSecretParameters,
  namedSecret,
  pathOf,
} from '../../../guardrails/index.ts';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';

type Checks = readonly CheckEntry[];

const PREFIX = 'sealed:';

const looksMasked = (text: string) => text === '***' || /^.{3}\*{3}.{4}$/s.test(text);

/** The name of a secret that a manager keeps is no secret. */
const mapSecrets = (
  checks: Checks,
  change: (secret: string, path: readonly (string | number)[], index: number) => string,
): CheckEntry[] =>
  checks.map((check, index) => ({
    ...check,
    parameters: mapSecretParameters(check.id, check.parameters, (secret, path) =>
      namedSecret(secret) ? secret : change(secret, path, index),
    ) as CheckEntry['parameters'],
  }));

/** The form that is stored: credentials encrypted for this guardrail alone. */
export const sealChecks = (checks: Checks, secrets: Secrets, guardrailId: string): CheckEntry[] =>
  mapSecrets(checks, (secret) => PREFIX + secrets.encrypt(secret, guardrailId));

/** Checks in the clear, for whatever runs them. */
export const unsealChecks = (checks: Checks, secrets: Secrets, guardrailId: string): CheckEntry[] =>
  mapSecrets(checks, (sealed) =>
    sealed.startsWith(PREFIX) ? secrets.decrypt(sealed.slice(PREFIX.length), guardrailId) : sealed,
  );

/** Checks as administrators see them. */
export const maskChecks = (checks: Checks, secrets: Secrets, guardrailId: string): CheckEntry[] =>
  mapSecrets(unsealChecks(checks, secrets, guardrailId), maskSecret);

/**
 * Puts stored credentials, which are given in the clear, back where an update sends their masks: from the check of the same
 * kind at the same place, else from the only one of that kind. Throws VALIDATION_FAILED for a mask that stands for none, and
 * where the check names a destination for the first time: stored credentials are write-only, and it could read them.
 */
export function restoreMasked(checks: Checks, stored: Checks): CheckEntry[] {
  return mapSecrets(checks, (secret, path, index) => {
    if (!looksMasked(secret)) return secret;
    const check = checks[index] as CheckEntry;
    const at = `input.${pathOf(['checks', index, 'parameters', ...path])}`;
    const before = storedCheck(check, index, stored);
    const known = before && secretAt(before, path);
    if (!before || known === undefined || maskSecret(known) !== secret)
      throw invalidInput(at, `${at} is a mask that stands for no stored credential; send the credential.`);
    const stranger = newDestination(check, before);
    if (stranger === null) return known;
    throw invalidInput(at, `${at} must be sent again, since its check names ${stranger} for the first time.`);
  });
}

function storedCheck(check: CheckEntry, index: number, stored: Checks): CheckEntry | undefined {
  if (stored[index]?.id === check.id) return stored[index];
  const [only, ...others] = stored.filter(({ id }) => id === check.id);
  return others.length === 0 ? only : undefined;
}

function secretAt({ id, parameters }: CheckEntry, path: readonly (string | number)[]): string | undefined {
  const wanted = pathOf(path);
  let found: string | undefined;
  mapSecretParameters(id, parameters, (secret, at) => {
    if (pathOf(at) === wanted) found = secret;
    return secret;
  });
  return found;
}

function newDestination(check: CheckEntry, before: CheckEntry): string | null {
  const known = new Set(destinationsOf(before.id, before.parameters));
  return destinationsOf(check.id, check.parameters).find((place) => !known.has(place)) ?? null;
}
