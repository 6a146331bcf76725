import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
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
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'defaults.user_api_key_config names no active config of the workspace.',
      param: `${param}.user_api_key_config`,
    });
  }
  return { ...metadataOf(members), user_api_key_config: config };
}

const metadataOf = ({ metadata }: Record<string, unknown>): WorkspaceDefaults =>
  metadata === undefined ? {} : { metadata: parseMetadata(metadata, `${param}.metadata`) };

/**
 * Asks the collection by its name: the config resource asks this one for the workspaces of its configs, so that an import
 * of its model would go round in a circle.
 */
async function hasConfig(
  context: GraphContext,
  owner: { organisationId: string; workspaceId: string },
  name: string,
): Promise<boolean> {
  const found = await context.db
    .collection<{ _id: string }>('configs')
    .findOne(
      { ...owner, status: 'active', $or: [{ _id: name }, { slug: name }] },
      { projection: { _id: 1 } },
    );
  return found !== null;
}
