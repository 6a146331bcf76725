import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { UpdateGuardrailInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { contentOf, type GuardrailContent, requireSound } from './content.ts';
import {
  type GuardrailDocument,
  type GuardrailVersionDocument,
  guardrailModel,
  guardrailVersionModel,
} from './model.ts';
import { type GuardrailLevel, guardrailNotFound, requireGuardrail, requireGuardrailScope } from './reach.ts';
import { sealChecks, unsealChecks } from './sealing.ts';
import { referencesIn, withKnownReferences } from './secret-references.ts';
import { requireFit, requireUnused } from './uses.ts';
import { addVersion, nextNumber, removeVersion } from './versions.ts';

export async function updateGuardrail(
  context: GraphContext,
  id: string,
  input: UpdateGuardrailInput,
  level: GuardrailLevel,
): Promise<GuardrailDocument> {
  const guardrail = await requireGuardrail(context, id, { level, verb: 'update' });
  const expected = input.expectedVersionId ?? null;
  if (expected !== null && expected !== guardrail.versionId) throw changedMeanwhile();
  if (input.status === 'archived') await requireUnused(context, guardrail);
  return change(context, guardrail, {
    members: {
      ...(input.name != null && { name: input.name }),
      ...(input.status != null && { status: input.status }),
      updatedBy: authorOf(context, level),
    },
    content: changedContent(context, guardrail, input),
    expected,
    level,
  });
}

/** Puts the content of an older version on top of the history. */
export async function restoreGuardrailVersion(
  context: GraphContext,
  id: string,
  versionId: string,
): Promise<GuardrailDocument> {
  const guardrail = await requireGuardrail(context, id, { level: 'any', verb: 'update' });
  const { _id, organisationId, workspaceId } = guardrail;
  const version = await guardrailVersionModel(context.db)
    .findOne({ _id: versionId, organisationId, guardrailId: _id })
    .lean<GuardrailVersionDocument>();
  if (!version)
    throw new GatewayError('NOT_FOUND', {
      message: 'The guardrail has no such version.',
      param: 'versionId',
    });
  const content = { checks: unsealChecks(version.checks, context.secrets, _id), actions: version.actions };
  requireSound(content, workspaceId === null);
  return change(context, guardrail, {
    members: { updatedBy: authorOf(context, 'any') },
    content,
    expected: null,
    level: 'any',
  });
}

function authorOf(context: GraphContext, level: GuardrailLevel): string {
  const { userId, id } = requireGuardrailScope(context, level, 'update');
  return userId ?? id;
}

const changedMeanwhile = () =>
  new GatewayError('PRECONDITION_FAILED', {
    message: 'The guardrail has another version by now; read it again and retry.',
    param: 'input.expectedVersionId',
  });

const clearContent = (
  { secrets }: GraphContext,
  { _id, checks, actions }: GuardrailDocument,
): GuardrailContent => ({ checks: unsealChecks(checks, secrets, _id), actions });

/** The content that an update asks for; null where it names neither checks nor actions. */
function changedContent(
  context: GraphContext,
  guardrail: GuardrailDocument,
  { checks, actions }: UpdateGuardrailInput,
): GuardrailContent | null {
  if (checks == null && actions == null) return null;
  const present = clearContent(context, guardrail);
  return contentOf({ checks, actions }, { present, isOfOrganisation: guardrail.workspaceId === null });
}

type Change = {
  members: Partial<Pick<GuardrailDocument, 'name' | 'status' | 'updatedBy'>>;
  content: GuardrailContent | null;
  /** The version that the guardrail must still have; null for any. */
  expected: string | null;
  level: GuardrailLevel;
};

/** Writes the change, with a version where it brings another content than there is. */
async function change(
  context: GraphContext,
  guardrail: GuardrailDocument,
  { members, content: written, expected, level }: Change,
): Promise<GuardrailDocument> {
  const content = written && (await withKnownReferences(context, guardrail, written));
  const isNew = content !== null && !isDeepStrictEqual(content, clearContent(context, guardrail));
  if (isNew) await requireFit(context, guardrail, content);
  const updated = isNew
    ? await replaceContent(context, guardrail, { content, members, expected })
    : await updateIf(context, guardrail, expected === null ? {} : { versionId: expected }, members);
  if (!updated) throw notWritten(context, expected === null ? guardrailNotFound(level) : changedMeanwhile());
  await context.changes.publish('guardrail');
  return updated;
}

/**
 * Writes the version first and then points the guardrail at it, provided that nobody did so in between: an update that names
 * only a part of the content was made from the rest of it, so that a race is told to the caller.
 */
async function replaceContent(
  context: GraphContext,
  guardrail: GuardrailDocument,
  { content, members, expected }: Omit<Change, 'level' | 'content'> & { content: GuardrailContent },
): Promise<GuardrailDocument> {
  const sealed = {
    checks: sealChecks(content.checks, context.secrets, guardrail._id),
    actions: content.actions,
  };
  const version = await addVersion(
    context,
    { ...guardrail, ...members },
    {
      ...sealed,
      number: await nextNumber(context, guardrail),
      createdBy: members.updatedBy ?? guardrail.updatedBy,
    },
  );
  const secretReferences = referencesIn(content.checks);
  const next = { ...members, ...sealed, secretReferences, versionId: version._id };
  const updated = await updateIf(context, guardrail, { versionId: guardrail.versionId }, next);
  if (updated) return updated;
  await removeVersion(context, version);
  if (expected !== null) throw changedMeanwhile();
  throw notWritten(
    context,
    new GatewayError('ALREADY_EXISTS', {
      message: 'The guardrail is being changed by others; read it again and retry.',
    }),
  );
}

const updateIf = (
  context: GraphContext,
  { _id, organisationId }: GuardrailDocument,
  condition: Partial<Pick<GuardrailDocument, 'versionId'>>,
  changes: Partial<GuardrailDocument>,
): Promise<GuardrailDocument | null> =>
  guardrailModel(context.db)
    .findOneAndUpdate({ _id, organisationId, ...condition, ...ifUnchanged(context) }, changes, {
      returnDocument: 'after',
    })
    .lean<GuardrailDocument>();
