import { type GuardrailChanges, noSecrets, type Phase, prepareGuardrail } from '../../../guardrails/index.ts';
import type { GraphContext } from '../../context.ts';
import { type GuardrailDocument, guardrailModel } from './model.ts';
import { unsealChecks } from './sealing.ts';

/** Whose guardrails may be named: those of a workspace, or the organisation's where that is null. */
export type NamingPlace = { organisationId: string; workspaceId: string | null };

/** Ids or slugs of guardrails, as something names them for a phase; `changes`: what each use does otherwise, in their order. */
export type GuardrailNames = {
  phase: Phase;
  names: readonly string[];
  changes?: readonly (GuardrailChanges | null)[];
};

/** Why a name means no guardrail that can be used in the phase; the message goes on after the place of the name. */
export type NameProblem = { phase: Phase; index: number; message: string };

/**
 * The guardrails that names mean, by id, and what is wrong with the names. With `andOrganisation`, those of the workspace's
 * organisation may be named too.
 */
export async function resolveNames(
  { db, secrets }: Pick<GraphContext, 'db' | 'secrets'>,
  { organisationId, workspaceId }: NamingPlace,
  lists: readonly GuardrailNames[],
  { andOrganisation = false } = {},
): Promise<{ idOf: ReadonlyMap<string, string>; problems: NameProblem[] }> {
  const named = [...new Set(lists.flatMap(({ names }) => names))];
  if (named.length === 0) return { idOf: new Map(), problems: [] };
  const found = await guardrailModel(db)
    .find({
      organisationId,
      workspaceId: andOrganisation ? { $in: [workspaceId, null] } : workspaceId,
      status: 'active',
      $or: [{ _id: { $in: named } }, { slug: { $in: named } }],
    })
    .lean<GuardrailDocument[]>();
  const byName = new Map(found.flatMap((each) => [[each._id, each] as const, [each.slug, each] as const]));
  const owner = workspaceId === null ? 'organisation' : 'workspace';
  const problems = lists.flatMap(({ phase, names, changes }) =>
    names.flatMap((name, index): NameProblem[] => {
      const guardrail = byName.get(name);
      if (!guardrail)
        return [{ phase, index, message: `names no active guardrail of the ${owner}: there is no ${name}.` }];
      const [problem] = problemsIn(phase, {
        ...guardrail,
        checks: unsealChecks(guardrail.checks, secrets, guardrail._id),
        actions: { ...guardrail.actions, ...changes?.[index] },
      });
      if (!problem) return [];
      const message = `names a guardrail that cannot be used for the ${phase}: ${problem.path} ${problem.message}.`;
      return [{ phase, index, message }];
    }),
  );
  return {
    idOf: new Map(found.flatMap(({ _id, slug }) => [[_id, _id] as const, [slug, _id] as const])),
    problems,
  };
}

/** What keeps checks and actions, in the clear, from being used in a phase. */
export function problemsIn(
  phase: Phase,
  { workspaceId, checks, actions }: Pick<GuardrailDocument, 'workspaceId' | 'checks' | 'actions'>,
) {
  const origin = workspaceId === null ? ('organisation' as const) : ('workspace' as const);
  const use = { id: '', versionId: null, name: null, phase, origin, readSecret: noSecrets };
  const prepared = prepareGuardrail({ checks, actions }, use);
  return 'problems' in prepared ? prepared.problems : [];
}
