import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { configModel } from '../../routing/config/index.ts';
import { parseMembers, parseMetadata } from '../metadata.ts';
import type { WorkspaceDefaults } from './model.ts';

const param = 'input.defaults';

/** Defaults of a workspace that is being made, which has no configs yet. */
export const newDefaults = (value: unknown): WorkspaceDefaults | null => {
  const members = parseMembers(value, ['metadata'], param);
  return members && metadataOf(members);
};

/** Defaults that an update brings; a config for user keys must be an active one of the workspace. */
export async function changedDefaults(
  context: GraphContext,
  owner: { organisationId: string; workspaceId: string },
  value: unknown,
): Promise<WorkspaceDefaults | null> {
  const members = parseMembers(value, ['metadata', 'user_api_key_config'], param);
  if (!members) return null;
  const { user_api_key_config: config } = members;
  if (config === undefined || config === null) return metadataOf(members);
  if (typeof config !== 'string' || !(await hasConfig(context, owner, config))) {
    throw invalidInput(
      `${param}.user_api_key_config`,
      'defaults.user_api_key_config names no active config of the workspace.',
    );
  }
  return { ...metadataOf(members), user_api_key_config: config };
}

const metadataOf = ({ metadata }: Record<string, unknown>): WorkspaceDefaults =>
  metadata === undefined ? {} : { metadata: parseMetadata(metadata, `${param}.metadata`) };

async function hasConfig(
  context: GraphContext,
  owner: { organisationId: string; workspaceId: string },
  name: string,
): Promise<boolean> {
  const filter = { ...owner, status: 'active' as const, $or: [{ _id: name }, { slug: name }] };
  return (await configModel(context.db).exists(filter)) !== null;
}
