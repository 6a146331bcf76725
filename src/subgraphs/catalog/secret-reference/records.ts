import type { Connection } from 'mongoose';
import type { MappedSecret } from '../../../directory/memory.ts';
import type { SecretSource } from '../../../secret-managers/index.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { isUsableIn } from '../allowed-workspaces.ts';
import { mappedSetting } from './fillable-fields.ts';
import type { SecretMapping } from './mapping.ts';
import { type SecretReferenceDocument, secretReferenceModel } from './model.ts';
import { sourceOf } from './sealed-auth.ts';

/** A stored reference as the data plane needs it. */
export type UsableReference = {
  organisationId: string;
  source: SecretSource;
  /** The member that is meant where a mapping names none. */
  secretKey: string | null;
  isUsableIn(workspaceId: string): boolean;
};

/** References by id. */
export async function loadSecretReferences(
  db: Connection,
  secrets: Secrets,
  ids: readonly string[],
): Promise<Map<string, UsableReference>> {
  if (ids.length === 0) return new Map();
  const found = await secretReferenceModel(db)
    .find({ _id: { $in: [...new Set(ids)] } })
    .lean<SecretReferenceDocument[]>();
  return new Map(found.map((reference) => [reference._id, usable(secrets, reference)]));
}

/** References of organisations by `<organisationId>/<slug>`. */
export async function loadSecretReferencesBySlug(
  db: Connection,
  secrets: Secrets,
  { organisations, slugs }: { organisations: readonly string[]; slugs: readonly string[] },
): Promise<Map<string, UsableReference>> {
  if (slugs.length === 0) return new Map();
  const found = await secretReferenceModel(db)
    .find({ organisationId: { $in: [...new Set(organisations)] }, slug: { $in: [...new Set(slugs)] } })
    .lean<SecretReferenceDocument[]>();
  return new Map(
    found.map((reference) => [`${reference.organisationId}/${reference.slug}`, usable(secrets, reference)]),
  );
}

const usable = (secrets: Secrets, reference: SecretReferenceDocument): UsableReference => ({
  organisationId: reference.organisationId,
  source: sourceOf(secrets, reference),
  secretKey: reference.secretKey,
  isUsableIn: (workspaceId) => isUsableIn(reference, workspaceId),
});

/** Where a credential is used; a null `workspaceId` stands for the whole organisation. */
type Place = { organisationId: string; workspaceId: string | null };

/** A reference that is gone, or that may not be used in this place, leaves its place empty: calls are told so. */
export const mappedSecrets = (
  mappings: readonly SecretMapping[],
  { organisationId, workspaceId }: Place,
  references: ReadonlyMap<string, UsableReference>,
): MappedSecret[] =>
  mappings.map((mapping) => {
    const found = references.get(mapping.secretReferenceId);
    const isUsable =
      found?.organisationId === organisationId && (workspaceId === null || found.isUsableIn(workspaceId));
    return {
      setting: mappedSetting(mapping),
      source: isUsable ? found.source : null,
      key: mapping.secretKey ?? found?.secretKey ?? null,
      format: mapping.valueFormat,
    };
  });

/** The references that mappings name. */
export const referencesOf = (mappings: readonly SecretMapping[]): string[] =>
  mappings.map(({ secretReferenceId }) => secretReferenceId);
