import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { configModel } from '../../routing/config/index.ts';
import { resolveNames } from '../../routing/guardrail/index.ts';
import { parseMembers, parseMetadata } from '../metadata.ts';
import type { WorkspaceDefaults } from './model.ts';

type DefaultsOwner = { organisationId: string; workspaceId: string };

const param = 'input.defaults';
const MOST_GUARDRAILS = 50;

/** Defaults of a workspace that is being made, which has no configs and guardrails yet. */
export const newDefaults = (value: unknown): WorkspaceDefaults | null => {
  const members = parseMembers(value, ['metadata'], param);
  return members && metadataOf(members);
};

/** Defaults that an update brings; what they name must be active, and of the workspace. */
export async function changedDefaults(
  context: GraphContext,
  owner: DefaultsOwner,
  value: unknown,
): Promise<WorkspaceDefaults | null> {
  const known = ['metadata', 'user_api_key_config', 'input_guardrails', 'output_guardrails'];
  const members = parseMembers(value, known, param);
  if (!members) return null;
  return {
    ...metadataOf(members),
    ...(await configOf(context, owner, members.user_api_key_config)),
    ...(await guardrailsOf(context, owner, members)),
  };
}

const metadataOf = ({ metadata }: Record<string, unknown>): WorkspaceDefaults =>
  metadata === undefined ? {} : { metadata: parseMetadata(metadata, `${param}.metadata`) };

async function configOf(
  context: GraphContext,
  owner: DefaultsOwner,
  config: unknown,
): Promise<Pick<WorkspaceDefaults, 'user_api_key_config'>> {
  if (config === undefined || config === null) return {};
  if (typeof config === 'string' && (await hasConfig(context, owner, config)))
    return { user_api_key_config: config };
  throw invalidInput(
    `${param}.user_api_key_config`,
    'defaults.user_api_key_config names no active config of the workspace.',
  );
}

async function hasConfig(context: GraphContext, owner: DefaultsOwner, name: string): Promise<boolean> {
  const filter = { ...owner, status: 'active' as const, $or: [{ _id: name }, { slug: name }] };
  return (await configModel(context.db).exists(filter)) !== null;
}

/** The guardrails that hold for all calls of the workspace, for each phase that the input names. */
async function guardrailsOf(
  context: GraphContext,
  owner: DefaultsOwner,
  { input_guardrails: input, output_guardrails: output }: Record<string, unknown>,
): Promise<Pick<WorkspaceDefaults, 'input_guardrails' | 'output_guardrails'>> {
  const lists = [
    { phase: 'input' as const, names: namesOf(input, 'input_guardrails') },
    { phase: 'output' as const, names: namesOf(output, 'output_guardrails') },
  ];
  const { problems } = await resolveNames(context, owner, lists);
  const [problem] = problems;
  if (problem) {
    const member = `defaults.${problem.phase}_guardrails[${problem.index}]`;
    throw invalidInput(`input.${member}`, `${member} ${problem.message}`);
  }
  return Object.fromEntries(
    lists.flatMap(({ phase, names }) =>
      names.length > 0 ? [[`${phase}_guardrails`, [...new Set(names)]]] : [],
    ),
  );
}

function namesOf(value: unknown, member: string): string[] {
  if (value === undefined || value === null) return [];
  const isName = (item: unknown): item is string =>
    typeof item === 'string' && item !== '' && item.length <= 255;
  if (Array.isArray(value) && value.length <= MOST_GUARDRAILS && value.every(isName)) return value;
  throw invalidInput(
    `${param}.${member}`,
    `defaults.${member} must be a list of at most ${MOST_GUARDRAILS} ids or slugs of guardrails.`,
  );
}
