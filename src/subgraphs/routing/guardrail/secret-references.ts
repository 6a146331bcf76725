import { invalidInput } from '../../../errors/index.ts';
import {
  type CheckEntry,
  mapSecretParameters,
  namedSecret,
  pathOf,
  secretNameText,
  secretsNamedIn,
} from '../../../guardrails/index.ts';
import { namedSecretReferences } from '../../catalog/secret-reference/index.ts';
import type { GraphContext } from '../../context.ts';
import type { GuardrailContent } from './content.ts';

/** Whose guardrail it is; `workspaceId` is null for one of the organisation. */
type Place = { organisationId: string; workspaceId: string | null };

/** The slugs of the secret references that checks name. */
export const referencesIn = (checks: readonly CheckEntry[]): string[] => [
  ...new Set(
    checks.flatMap(({ id, parameters }) =>
      secretsNamedIn(id, parameters).map(({ named }) => named.reference),
    ),
  ),
];

/**
 * The content with every secret reference by its slug, which is never given to another one while it is in use. Throws
 * VALIDATION_FAILED, naming the place, for one that the guardrail's workspace may not use.
 */
export async function withKnownReferences(
  { db }: GraphContext,
  place: Place,
  content: GuardrailContent,
): Promise<GuardrailContent> {
  const names = referencesIn(content.checks);
  if (names.length === 0) return content;
  const known = await namedSecretReferences(db, place, names);
  const slugOf = new Map(known.flatMap(({ _id, slug }) => [[_id, slug] as const, [slug, slug] as const]));
  const checks = content.checks.map((check, index) => ({
    ...check,
    parameters: mapSecretParameters(check.id, check.parameters, (text, path) => {
      const named = namedSecret(text);
      if (!named) return text;
      const reference = slugOf.get(named.reference);
      const at = `input.${pathOf(['checks', index, 'parameters', ...path])}`;
      if (reference === undefined)
        throw invalidInput(
          at,
          `${at} names no secret reference that may be used here: secret-reference:<slug>.`,
        );
      return secretNameText({ ...named, reference });
    }) as CheckEntry['parameters'],
  }));
  return { ...content, checks };
}
