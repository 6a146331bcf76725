import { requireScope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { Phase } from '../../../guardrails/index.ts';
import type { GraphContext } from '../../context.ts';
import { type OrganisationDocument, organisationModel } from '../../identity/organisation/index.ts';
import type { UpdateOrganisationDefaultsInput } from '../../types.generated.ts';
import { type GuardrailDocument, guardrailModel, resolveNames } from '../guardrail/index.ts';

/** What an organisation enforces, each list in its order. */
export type OrganisationDefaultsShown = {
  inputGuardrails: GuardrailDocument[];
  outputGuardrails: GuardrailDocument[];
};

type Settings = Pick<OrganisationDocument, 'settings'>;

export async function getOrganisationDefaults(context: GraphContext): Promise<OrganisationDefaultsShown> {
  const { organisationId } = requireScope(context.principal, ['organisation_settings.read']);
  const found = await organisationModel(context.db)
    .findOne({ _id: organisationId }, { settings: 1 })
    .lean<Settings>();
  return shown(context, organisationId, found);
}

export async function updateOrganisationDefaults(
  context: GraphContext,
  { inputGuardrails, outputGuardrails }: UpdateOrganisationDefaultsInput,
): Promise<OrganisationDefaultsShown> {
  const { organisationId } = requireScope(context.principal, ['organisation_settings.update']);
  const changes = {
    ...(inputGuardrails != null && {
      'settings.defaultGuardrails.input': await idsOf(context, organisationId, 'input', inputGuardrails),
    }),
    ...(outputGuardrails != null && {
      'settings.defaultGuardrails.output': await idsOf(context, organisationId, 'output', outputGuardrails),
    }),
  };
  const updated = await organisationModel(context.db)
    .findOneAndUpdate({ _id: organisationId }, changes, { returnDocument: 'after' })
    .lean<Settings>();
  if (!updated) throw new GatewayError('NOT_FOUND', { message: 'The organisation does not exist.' });
  await context.changes.publish('organisation');
  return shown(context, organisationId, updated);
}

/** Ids of the organisation's guardrails that are named; throws VALIDATION_FAILED for one that cannot be enforced there. */
async function idsOf(
  context: GraphContext,
  organisationId: string,
  phase: Phase,
  names: readonly string[],
): Promise<string[]> {
  const place = { organisationId, workspaceId: null };
  const { idOf, problems } = await resolveNames(context, place, [{ phase, names }]);
  const [problem] = problems;
  if (!problem) return [...new Set(names.flatMap((name) => idOf.get(name) ?? []))];
  const param = `input.${phase}Guardrails[${problem.index}]`;
  throw invalidInput(param, `${param} ${problem.message}`);
}

async function shown(
  { db }: GraphContext,
  organisationId: string,
  organisation: Settings | null,
): Promise<OrganisationDefaultsShown> {
  const { input = [], output = [] } = organisation?.settings?.defaultGuardrails ?? {};
  const found = await guardrailModel(db)
    .find({ organisationId, _id: { $in: [...input, ...output] } })
    .lean<GuardrailDocument[]>();
  const byId = new Map(found.map((guardrail) => [guardrail._id, guardrail]));
  const all = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
  return { inputGuardrails: all(input), outputGuardrails: all(output) };
}
