import { requireScope } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import type { Phase } from '../../../guardrails/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdsNamed } from '../../identity/workspace/index.ts';
import { requireOwnOrganisation } from '../../own-organisation.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { UpdateGuardrailExclusionsInput } from '../../types.generated.ts';
import { guardrailExclusionModel } from './model.ts';

type ListArguments = PageArguments & { phase: Phase; organisationId?: string | null };

export async function listExclusions(
  context: GraphContext,
  { phase, organisationId: named, ...page }: ListArguments,
) {
  const principal = requireScope(context.principal, ['organisation_exclusions.list']);
  requireOwnOrganisation(principal, named);
  const { organisationId } = principal;
  return findPage(guardrailExclusionModel(context.db), { organisationId, phase }, page);
}

/** Excludes workspaces, or ends that; answers how many are excluded then. */
export async function updateExclusions(
  context: GraphContext,
  phase: Phase,
  input: UpdateGuardrailExclusionsInput,
): Promise<number> {
  const principal = requireScope(context.principal, ['organisation_exclusions.update']);
  requireOwnOrganisation(principal, input.organisationId);
  const { organisationId } = principal;
  const wanted = await wantedStates(context, organisationId, input);
  const idsOf = (isExcluded: boolean) =>
    [...wanted].flatMap(([id, excluded]) => (excluded === isExcluded ? [id] : []));
  const excluded = idsOf(true);
  const model = guardrailExclusionModel(context.db);
  const ended = input.overrideExisting ? { $nin: excluded } : { $in: idsOf(false) };
  await model.deleteMany({ organisationId, phase, workspaceId: ended });
  const excludedBy = principal.userId ?? principal.id;
  const now = context.now();
  // Whoever is excluded already stays so, by whom and since when it was.
  await model.bulkWrite(
    excluded.map((workspaceId) => ({
      updateOne: {
        filter: { organisationId, workspaceId, phase },
        update: { $setOnInsert: { _id: uuid(), excludedBy, createdAt: now } },
        upsert: true,
        timestamps: false,
      },
    })),
    { ordered: false },
  );
  await context.changes.publish('guardrail');
  return model.countDocuments({ organisationId, phase });
}

/** Whether each workspace that the input names is to be excluded, by id. */
async function wantedStates(
  { db }: GraphContext,
  organisationId: string,
  { workspaces }: UpdateGuardrailExclusionsInput,
): Promise<Map<string, boolean>> {
  const ids = await workspaceIdsNamed(
    db,
    organisationId,
    workspaces.map(({ workspaceId }) => workspaceId),
  );
  const wanted = new Map<string, boolean>();
  for (const [index, { workspaceId: named, excluded }] of workspaces.entries()) {
    const param = `input.workspaces[${index}].workspaceId`;
    const id = ids.get(named);
    if (id === undefined) throw invalidInput(param, `${param} names no workspace of the organisation.`);
    if (wanted.has(id)) throw invalidInput(param, `${param} names a workspace that is named before.`);
    wanted.set(id, excluded);
  }
  return wanted;
}
