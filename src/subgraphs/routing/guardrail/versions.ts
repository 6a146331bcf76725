import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import { type GuardrailDocument, type GuardrailVersionDocument, guardrailVersionModel } from './model.ts';
import { requireGuardrail } from './reach.ts';

type Owner = Pick<GuardrailDocument, '_id' | 'organisationId' | 'workspaceId' | 'name'>;
/** `checks`: sealed. */
type Content = Pick<GuardrailVersionDocument, 'checks' | 'actions' | 'createdBy' | 'number'>;

/** Keeps a state of a guardrail for ever, before the guardrail itself takes it. */
export async function addVersion(
  context: GraphContext,
  { _id, organisationId, workspaceId, name }: Owner,
  content: Content,
): Promise<GuardrailVersionDocument> {
  const created = await guardrailVersionModel(context.db).create({
    _id: uuid(),
    guardrailId: _id,
    organisationId,
    workspaceId,
    name,
    ...content,
  });
  return created.toObject<GuardrailVersionDocument>();
}

export const removeVersion = (
  { db }: GraphContext,
  { _id, organisationId }: Pick<GuardrailVersionDocument, '_id' | 'organisationId'>,
) => guardrailVersionModel(db).deleteOne({ _id, organisationId });

export const removeVersionsOf = (
  { db }: GraphContext,
  { _id, organisationId }: Pick<GuardrailDocument, '_id' | 'organisationId'>,
) => guardrailVersionModel(db).deleteMany({ organisationId, guardrailId: _id });

/** The number after the one of the guardrail's present version. */
export async function nextNumber(
  { db }: GraphContext,
  { versionId, organisationId }: GuardrailDocument,
): Promise<number> {
  const present = await guardrailVersionModel(db)
    .findOne({ _id: versionId, organisationId }, { number: 1 })
    .lean<{ number: number }>();
  return (present?.number ?? 0) + 1;
}

export async function listGuardrailVersions(
  context: GraphContext,
  args: PageArguments & { guardrailId: string },
) {
  const { _id, organisationId } = await requireGuardrail(context, args.guardrailId, {
    level: 'any',
    verb: 'read',
  });
  return findPage(guardrailVersionModel(context.db), { organisationId, guardrailId: _id }, args);
}
