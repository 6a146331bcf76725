import { type Connection, Schema } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import type { ValueFormat } from '../../../secret-managers/index.ts';
import type { GraphContext } from '../../context.ts';
import type { SecretMappingInput } from '../../types.generated.ts';
import { usableInWorkspace } from '../allowed-workspaces.ts';
import { type FillableFields, fillableFields, mappableSettings } from './fillable-fields.ts';
import { type SecretReferenceDocument, secretReferenceModel } from './model.ts';

/** A part of a credential whose value comes from a secret manager, as it is stored with what has the credential. */
export type SecretMapping = {
  /** `key`, or `configurations.<setting>`. */
  targetField: string;
  secretReferenceId: string;
  secretKey: string | null;
  valueFormat: ValueFormat | null;
};

export const secretMappingSchema = new Schema<SecretMapping>(
  {
    targetField: { type: String, required: true },
    secretReferenceId: { type: String, required: true },
    secretKey: { type: String, default: null },
    valueFormat: { type: String, default: null },
  },
  { _id: false },
);

/** Whose mappings they are; `workspaceId` is null where every workspace of the organisation may use it. */
export type MappingOwner = { organisationId: string; workspaceId: string | null; aiProviderId: string };

/**
 * The mappings of `input.secretMappings`, checked, with the ids of the references that they name. `fields`: what they may
 * fill; absent, whatever an integration may have from a secret manager.
 */
export async function parseSecretMappings(
  context: GraphContext,
  owner: MappingOwner,
  given: readonly SecretMappingInput[] | null | undefined,
  fields: FillableFields = fillableFields(mappableSettings(owner.aiProviderId)),
): Promise<SecretMapping[]> {
  if (!given?.length) return [];
  const idOf = await referencesNamed(context, owner, given);
  const seen = new Set<string>();
  return given.map(
    ({ targetField: asked, secretReferenceId: named, secretKey = null, valueFormat = null }, index) => {
      const param = `input.secretMappings[${index}]`;
      const targetField = fields.get(asked);
      if (targetField === undefined)
        throw invalidInput(
          `${param}.targetField`,
          `target_field is one of ${[...fields.keys()].join(', ')}.`,
        );
      if (seen.has(targetField))
        throw invalidInput(`${param}.targetField`, `${asked} has a mapping already: each field has one.`);
      seen.add(targetField);
      const secretReferenceId = idOf.get(named);
      if (secretReferenceId === undefined)
        throw invalidInput(
          `${param}.secretReferenceId`,
          'secret_reference_id names no secret reference that may be used here.',
        );
      return { targetField, secretReferenceId, secretKey, valueFormat };
    },
  );
}

async function referencesNamed(
  { db }: GraphContext,
  owner: MappingOwner,
  given: readonly SecretMappingInput[],
): Promise<Map<string, string>> {
  const names = given.map(({ secretReferenceId }) => secretReferenceId);
  const found = await namedSecretReferences(db, owner, names);
  return new Map(found.flatMap(({ _id, slug }) => [[slug, _id] as const, [_id, _id] as const]));
}

/** References by ids or slugs, of those that an owner may use. */
export const namedSecretReferences = (
  db: Connection,
  { organisationId, workspaceId }: Pick<MappingOwner, 'organisationId' | 'workspaceId'>,
  names: readonly string[],
): Promise<Pick<SecretReferenceDocument, '_id' | 'slug'>[]> =>
  secretReferenceModel(db)
    .find(
      {
        $and: [
          { organisationId, $or: [{ _id: { $in: names } }, { slug: { $in: names } }] },
          workspaceId === null ? {} : usableInWorkspace(workspaceId),
        ],
      },
      { slug: 1 },
    )
    .lean<Pick<SecretReferenceDocument, '_id' | 'slug'>[]>();
