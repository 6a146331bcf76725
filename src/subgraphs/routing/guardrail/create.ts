import type { Principal } from '../../../auth/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { requireOwnOrganisation } from '../../own-organisation.ts';
import type { CreateGuardrailInput, CreateOrganisationGuardrailInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { contentOf } from './content.ts';
import { type GuardrailDocument, guardrailModel } from './model.ts';
import { mayReachOrganisation, requireGuardrailScope } from './reach.ts';
import { sealChecks } from './sealing.ts';
import { referencesIn, withKnownReferences } from './secret-references.ts';
import { addVersion, removeVersion } from './versions.ts';

/** Saves a guardrail of a workspace; or one of the organisation, where the input names that and no workspace. */
export async function createGuardrail(
  context: GraphContext,
  input: CreateGuardrailInput,
): Promise<GuardrailDocument> {
  const principal = requireGuardrailScope(context, 'any', 'create');
  requireOwnOrganisation(principal, input.organisationId);
  return save(context, principal, { ...input, workspaceId: await placeOf(context, principal, input) });
}

export async function createOrganisationGuardrail(
  context: GraphContext,
  input: CreateOrganisationGuardrailInput,
): Promise<GuardrailDocument> {
  const principal = requireGuardrailScope(context, 'organisation', 'create');
  return save(context, principal, { ...input, workspaceId: null });
}

async function placeOf(
  context: GraphContext,
  principal: Principal,
  { workspaceId, organisationId }: CreateGuardrailInput,
): Promise<string | null> {
  const isOfOrganisation = organisationId != null && workspaceId == null && principal.workspaceId === null;
  if (isOfOrganisation && mayReachOrganisation(principal, 'create')) return null;
  return workspaceIdFor(context, workspaceId);
}

type New = CreateOrganisationGuardrailInput & { workspaceId: string | null };

/** Writes the first version, and then the guardrail. */
async function save(context: GraphContext, principal: Principal, input: New): Promise<GuardrailDocument> {
  const { name, workspaceId } = input;
  const { organisationId } = principal;
  const written = contentOf(input, { present: null, isOfOrganisation: workspaceId === null });
  const content = await withKnownReferences(context, { organisationId, workspaceId }, written);
  const owner = { _id: uuid(), organisationId, workspaceId, name };
  const sealed = { checks: sealChecks(content.checks, context.secrets, owner._id), actions: content.actions };
  const author = principal.userId ?? principal.id;
  const version = await addVersion(context, owner, { ...sealed, number: 1, createdBy: author });
  try {
    const created = await orAlreadyExists(
      guardrailModel(context.db).create({
        ...owner,
        ...sealed,
        secretReferences: referencesIn(content.checks),
        slug: input.slug ?? slugFrom(name, 'gr-'),
        versionId: version._id,
        ownerId: author,
        updatedBy: author,
      }),
    );
    await context.changes.publish('guardrail');
    return created.toObject<GuardrailDocument>();
  } catch (error) {
    await removeVersion(context, version);
    throw error;
  }
}
