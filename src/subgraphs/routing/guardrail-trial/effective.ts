import { requireScope } from '../../../auth/index.ts';
import { effective } from '../../../dataplane/guardrails/leg-guardrails.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import {
  type EnforcedGuardrails,
  NOTHING_ENFORCED,
  type Phase,
  type PreparedGuardrail,
  withChanges,
} from '../../../guardrails/index.ts';
import type { PlannedGuardrail } from '../../../routing-config/guardrails.ts';
import { emptyPlan, type Leaf, leavesOf, planOf } from '../../../routing-config/plan.ts';
import { parseGatewayConfig } from '../../../routing-config/schema.ts';
import type { GraphContext } from '../../context.ts';
import { apiKeyModel, visibleKeys } from '../../identity/api-key/index.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import type {
  EffectiveGuardrail,
  EffectiveGuardrails,
  GuardrailExemption,
  QueryEffectiveGuardrailsArgs,
  TargetGuardrails,
} from '../../types.generated.ts';
import { type ConfigDocument, configIn, unsealConfig } from '../config/index.ts';
import { type GuardrailExclusionDocument, guardrailExclusionModel } from '../guardrail-exclusion/index.ts';

type Place = { organisationId: string; workspaceId: string };

/** What calls of a workspace come under, by the memory that calls go by. */
export async function effectiveGuardrails(
  context: GraphContext,
  { workspaceId: named, configId, apiKeyId }: QueryEffectiveGuardrailsArgs,
): Promise<EffectiveGuardrails> {
  const { organisationId } = requireScope(context.principal, ['guardrails.invoke', 'guardrails.read']);
  const workspaceId = await workspaceIdFor(context, named);
  const place = { organisationId, workspaceId };
  const config = await configOf(context, place, { configId, apiKeyId });
  const enforced = (await context.guardrails.lookup.guardrailsOf(workspaceId)) ?? NOTHING_ENFORCED;
  const leaves = config ? leavesOf(planOf(contentOf(context, config))) : [emptyPlan];
  const targets: TargetGuardrails[] = [];
  for (const leaf of leaves)
    targets.push({
      target: config ? leaf.path : null,
      input: await effectiveIn(context, place, { leaf, enforced, phase: 'input' }),
      output: await effectiveIn(context, place, { leaf, enforced, phase: 'output' }),
    });
  return {
    workspaceId,
    configId: config?._id ?? null,
    targets,
    broken: [...enforced.broken],
    exemptions: await exemptionsOf(context, place, enforced),
  };
}

const contentOf = ({ secrets }: GraphContext, { _id, config }: ConfigDocument) =>
  parseGatewayConfig(unsealConfig(config, secrets, _id));

/** The config that is named, else the default one of the key that is named. */
async function configOf(
  context: GraphContext,
  place: Place,
  { configId, apiKeyId }: Pick<QueryEffectiveGuardrailsArgs, 'configId' | 'apiKeyId'>,
): Promise<ConfigDocument | null> {
  const ofKey = apiKeyId == null ? null : await defaultOf(context, place, apiKeyId);
  const named = configId ?? ofKey;
  if (named === null) return null;
  const found = await configIn(context.db, place, named);
  if (found) return found;
  throw invalidInput('configId', 'configId names no config of the workspace.');
}

async function defaultOf(context: GraphContext, place: Place, id: string): Promise<string | null> {
  const { principal, db } = context;
  const found = principal
    ? await apiKeyModel(db)
        .findOne({ $and: [{ _id: id, ...place }, visibleKeys(principal)] }, { 'defaults.config_id': 1 })
        .lean<{ defaults?: { config_id?: string } | null }>()
    : null;
  if (!found) throw invalidInput('apiKeyId', 'apiKeyId names no key of the workspace.');
  return found.defaults?.config_id ?? null;
}

async function effectiveIn(
  { guardrails }: GraphContext,
  { workspaceId }: Place,
  { leaf, enforced, phase }: { leaf: Leaf; enforced: EnforcedGuardrails; phase: Phase },
): Promise<EffectiveGuardrail[]> {
  const own: PreparedGuardrail[] = [];
  for (const planned of leaf[`${phase}Guardrails`] ?? []) {
    const prepared = await preparedOf(guardrails.lookup, workspaceId, { planned, phase });
    own.push(prepared);
  }
  return effective(own, enforced[phase]).map(shown);
}

async function preparedOf(
  lookup: GraphContext['guardrails']['lookup'],
  workspaceId: string,
  { planned, phase }: { planned: PlannedGuardrail; phase: Phase },
): Promise<PreparedGuardrail> {
  if (!('changes' in planned)) return planned;
  const { name, changes } = planned;
  const compiled = await lookup.guardrailById(workspaceId, name);
  const prepared = compiled && withChanges(compiled, changes, phase);
  if (prepared && !('problems' in prepared)) return prepared;
  throw new GatewayError('GUARDRAIL_BROKEN', {
    message: `The config names a guardrail that cannot be run: ${name}.`,
  });
}

const shown = (guardrail: PreparedGuardrail): EffectiveGuardrail => ({
  id: guardrail.id,
  versionId: guardrail.versionId,
  name: guardrail.name,
  origin: guardrail.origin,
  deny: guardrail.deny,
  async: guardrail.isAsync,
  mayEdit: guardrail.mayEdit,
  stream: guardrail.stream,
  checks: guardrail.checks.map(({ id }) => id),
});

async function exemptionsOf(
  { db }: GraphContext,
  place: Place,
  { exempted }: EnforcedGuardrails,
): Promise<GuardrailExemption[]> {
  if (exempted.input.length + exempted.output.length === 0) return [];
  const found = await guardrailExclusionModel(db)
    .find(place)
    .sort({ phase: 1 })
    .lean<GuardrailExclusionDocument[]>();
  return found.map(({ phase, excludedBy, createdAt }) => ({
    phase,
    guardrailIds: [...exempted[phase]],
    excludedBy,
    createdAt,
  }));
}
