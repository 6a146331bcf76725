import { requireScope } from '../../../auth/index.ts';
import { allChecks, parameterSchemaOf } from '../../../guardrails/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { orderOf } from '../../order.ts';
import { requireOwnOrganisation } from '../../own-organisation.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  GuardrailCheckKind,
  QueryGuardrailsArgs,
  QueryOrganisationGuardrailsArgs,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { guardrailById } from './loaders.ts';
import { type GuardrailDocument, guardrailModel } from './model.ts';
import {
  type GuardrailLevel,
  guardrailNotFound,
  reachable,
  requireGuardrail,
  requireGuardrailScope,
} from './reach.ts';
import { requireUnused } from './uses.ts';
import { removeVersionsOf } from './versions.ts';

type ListArguments = QueryOrganisationGuardrailsArgs &
  SortedPageArguments &
  Pick<QueryGuardrailsArgs, 'workspaceId' | 'organisationId'>;

export const getGuardrail = (
  context: GraphContext,
  id: string,
  level: GuardrailLevel,
): Promise<GuardrailDocument> => requireGuardrail(context, id, { level, verb: 'read' });

/** For references from other resources: null when the guardrail is gone or out of the credential's reach. */
export async function referencedGuardrail(
  context: GraphContext,
  id: string,
): Promise<GuardrailDocument | null> {
  requireScope(context.principal, ['guardrails.read', 'organisation_guardrails.read']);
  const found = await guardrailById(context).load(id);
  if (!found) return null;
  const family = found.workspaceId === null ? 'organisation_guardrails' : 'guardrails';
  return context.principal?.scopes.has(`${family}.read`) ? found : null;
}

export async function listGuardrails(context: GraphContext, args: ListArguments, level: GuardrailLevel) {
  const principal = requireGuardrailScope(context, level, 'list');
  requireOwnOrganisation(principal, args.organisationId);
  const names = args.ids && { $in: [...args.ids] };
  return findPage(
    guardrailModel(context.db),
    {
      $and: [
        reachable(principal, level, 'list'),
        args.workspaceId ? { workspaceId: await workspaceIdFor(context, args.workspaceId) } : {},
        names ? { $or: [{ _id: names }, { slug: names }] } : {},
        args.status ? { status: args.status } : {},
        resourceFilter(args),
      ],
    },
    args,
    orderOf(args.sort),
  );
}

export async function deleteGuardrail(
  context: GraphContext,
  id: string,
  level: GuardrailLevel,
): Promise<string> {
  const guardrail = await requireGuardrail(context, id, { level, verb: 'delete' });
  await requireUnused(context, guardrail);
  const { _id, organisationId } = guardrail;
  const { deletedCount } = await guardrailModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, guardrailNotFound(level));
  await removeVersionsOf(context, guardrail);
  await context.changes.publish('guardrail');
  return _id;
}

/** What there is to choose from. */
export const checkKinds = (): GuardrailCheckKind[] =>
  allChecks.map((check) => ({
    id: check.id,
    description: check.description,
    phases: [...check.phases],
    isRemote: check.isRemote,
    parameters: parameterSchemaOf(check),
  }));
