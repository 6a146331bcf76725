import type { Connection } from 'mongoose';
import {
  type EnforcedGuardrails,
  type GuardrailOrigin,
  NOTHING_ENFORCED,
  type Phase,
  type PreparedGuardrail,
} from '../../../guardrails/index.ts';
import { grownCache } from '../../../lib/grown-cache.ts';
import { organisationSettings } from '../../identity/organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../../identity/workspace/index.ts';
import { type GuardrailExclusionDocument, guardrailExclusionModel } from '../guardrail-exclusion/index.ts';
import type { GuardrailCompiler } from './compiled.ts';
import { type GuardrailDocument, guardrailModel } from './model.ts';

type WorkspaceRow = Pick<WorkspaceDocument, '_id' | 'organisationId' | 'defaults'>;
type Exclusion = Pick<GuardrailExclusionDocument, 'workspaceId' | 'phase'>;

/** What stands in the defaults: ids of the organisation's guardrails, ids or slugs of the workspace's. */
type Lists = Record<Phase, readonly string[]>;

/** Workspaces whose enforced guardrails stay the same objects until something in them changes. */
const KEPT = 20_000;

/** Reads what is enforced on the calls of workspaces, by their ids; a workspace that is not in the answer does not exist. */
export function createEnforcedLoader(db: Connection, compiler: GuardrailCompiler) {
  const kept = grownCache<{ state: string; enforced: EnforcedGuardrails }>(KEPT);

  /** The object that is known for an equal state, or this one from now on. */
  function same(workspaceId: string, enforced: EnforcedGuardrails): EnforcedGuardrails {
    const state = stateOf(enforced);
    if (state === EMPTY) return NOTHING_ENFORCED;
    const known = kept.get(workspaceId);
    if (known?.state === state) return known.enforced;
    kept.set(workspaceId, { state, enforced });
    return enforced;
  }

  return async (workspaceIds: string[]): Promise<Map<string, EnforcedGuardrails>> => {
    const workspaces = await workspaceModel(db)
      .find({ _id: { $in: workspaceIds } }, { organisationId: 1, defaults: 1 })
      .lean<WorkspaceRow[]>();
    const organisations = [...new Set(workspaces.map(({ organisationId }) => organisationId))];
    const [settings, exclusions] = await Promise.all([
      organisationSettings(db, organisations),
      exclusionsOf(
        db,
        workspaces.map(({ _id }) => _id),
      ),
    ]);
    const own = new Map(workspaces.map((workspace) => [workspace._id, listsOf(workspace)]));
    const common = new Map(
      organisations.map((id) => {
        const { input = [], output = [] } = settings.get(id)?.defaultGuardrails ?? {};
        return [id, { input, output }];
      }),
    );
    const find = await finderOf(db, compiler, organisations, [...own.values(), ...common.values()]);
    return new Map(
      workspaces.map(({ _id, organisationId }) => {
        const enforced = enforce({
          own: own.get(_id) ?? NONE,
          common: common.get(organisationId) ?? NONE,
          isExempt: (phase) => exclusions.has(`${_id} ${phase}`),
          prepare: (name, phase, origin) => {
            const found = find(organisationId, origin === 'organisation' ? null : _id, name);
            const prepared = found && compiler.compile(found, origin)?.[phase];
            return prepared && !('problems' in prepared) ? prepared : null;
          },
        });
        return [_id, same(_id, enforced)];
      }),
    );
  };
}

const NONE: Lists = { input: [], output: [] };

const listsOf = ({ defaults }: WorkspaceRow): Lists => ({
  input: defaults?.input_guardrails ?? [],
  output: defaults?.output_guardrails ?? [],
});

type Ground = {
  own: Lists;
  common: Lists;
  isExempt(phase: Phase): boolean;
  /** Null where there is no such guardrail, or none that can be run. */
  prepare(name: string, phase: Phase, origin: GuardrailOrigin): PreparedGuardrail | null;
};

/** The workspace's own guardrails, and then the organisation's, so that nobody's edits undo those of the organisation. */
function enforce({ own, common, isExempt, prepare }: Ground): EnforcedGuardrails {
  const broken = new Set<string>();
  const inPhase = (phase: Phase, names: readonly string[], origin: GuardrailOrigin) =>
    names.flatMap((name) => {
      const prepared = prepare(name, phase, origin);
      if (!prepared) broken.add(name);
      return prepared ?? [];
    });
  const all = (phase: Phase) => [
    ...inPhase(phase, own[phase], 'workspace'),
    ...(isExempt(phase) ? [] : inPhase(phase, common[phase], 'organisation')),
  ];
  const exempted = (phase: Phase) => (isExempt(phase) ? common[phase] : []);
  return {
    input: all('input'),
    output: all('output'),
    exempted: { input: exempted('input'), output: exempted('output') },
    broken: [...broken],
  };
}

const stateOf = ({ input, output, exempted, broken }: EnforcedGuardrails): string => {
  const versions = (guardrails: readonly PreparedGuardrail[]) =>
    guardrails.map(({ origin, versionId, name }) => [origin, versionId, name]);
  return JSON.stringify([versions(input), versions(output), exempted.input, exempted.output, broken]);
};
const EMPTY = stateOf(NOTHING_ENFORCED);

async function exclusionsOf(db: Connection, workspaceIds: string[]): Promise<ReadonlySet<string>> {
  const found = await guardrailExclusionModel(db)
    .find({ workspaceId: { $in: workspaceIds } }, { workspaceId: 1, phase: 1 })
    .lean<Exclusion[]>();
  return new Set(found.map(({ workspaceId, phase }) => `${workspaceId} ${phase}`));
}

/** Finds active guardrails among those that the lists name, by id or slug. */
async function finderOf(
  db: Connection,
  compiler: GuardrailCompiler,
  organisations: string[],
  lists: readonly Lists[],
) {
  const names = [...new Set(lists.flatMap(({ input, output }) => [...input, ...output]))];
  const found =
    names.length === 0
      ? []
      : await guardrailModel(db)
          .find({
            organisationId: { $in: organisations },
            status: 'active',
            $or: [{ _id: { $in: names } }, { slug: { $in: names } }],
          })
          .lean<GuardrailDocument[]>();
  await compiler.readReferences(db, found);
  const placeOf = (organisationId: string, workspaceId: string | null, name: string) =>
    `${organisationId} ${workspaceId} ${name}`;
  const byPlace = new Map(
    found.flatMap((each) =>
      [each._id, each.slug].map(
        (name) => [placeOf(each.organisationId, each.workspaceId, name), each] as const,
      ),
    ),
  );
  return (organisationId: string, workspaceId: string | null, name: string) =>
    byPlace.get(placeOf(organisationId, workspaceId, name)) ?? null;
}
