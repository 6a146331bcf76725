import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { configIn } from '../../routing/config/index.ts';
import { parseMembers, parseMetadata } from '../metadata.ts';
import { withRequiredMetadata } from '../metadata-schema.ts';
import { workspaceById } from '../workspace/index.ts';
import type { ApiKeyDefaults, ApiKeyDocument } from './model.ts';

const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

/** Checked defaults of a key; a config that they name must be an active one of the key's workspace. */
export async function parseDefaults(
  context: GraphContext,
  value: unknown,
  owner: Pick<ApiKeyDocument, 'organisationId' | 'workspaceId'>,
): Promise<ApiKeyDefaults | null> {
  const param = 'input.defaults';
  const members = parseMembers(value, ['metadata', 'config_id', 'allow_config_override'], param);
  if (!members) return null;
  if (owner.workspaceId === null) {
    throw invalid('Organisation-wide keys make no requests and take no defaults.', param);
  }
  const { metadata, config_id: configId, allow_config_override: allowOverride } = members;
  if (allowOverride !== undefined && typeof allowOverride !== 'boolean') {
    throw invalid('defaults.allow_config_override must be a boolean.', `${param}.allow_config_override`);
  }
  const defaults: ApiKeyDefaults = {
    ...(metadata !== undefined && { metadata: parseMetadata(metadata, `${param}.metadata`) }),
    ...(allowOverride !== undefined && { allow_config_override: allowOverride }),
  };
  if (configId === undefined || configId === null) return defaults;
  const config =
    typeof configId === 'string'
      ? await configIn(context.db, { ...owner, workspaceId: owner.workspaceId }, configId)
      : null;
  if (typeof configId !== 'string' || config?.status !== 'active') {
    throw invalid('defaults.config_id names no active config of the workspace.', `${param}.config_id`);
  }
  return { ...defaults, config_id: configId };
}

/** With the metadata that the organisation wants of its workspaces' keys. */
export const withLabels = async (
  context: GraphContext,
  defaults: ApiKeyDefaults | null,
  workspaceId: string | null,
): Promise<ApiKeyDefaults | null> =>
  workspaceId === null ? defaults : withRequiredMetadata(context, 'apiKeyMetadataSchema', defaults);

/** A user key without a config of its own takes the one that its workspace has for it (spec/data-plane.md, section 2.10). */
export async function withWorkspaceConfig(
  context: GraphContext,
  defaults: ApiKeyDefaults | null,
  workspaceId: string | null,
): Promise<ApiKeyDefaults | null> {
  if (defaults?.config_id || workspaceId === null) return defaults;
  const config = (await workspaceById(context).load(workspaceId))?.defaults?.user_api_key_config;
  return config ? { ...defaults, config_id: config } : defaults;
}

/** A moment in the future, or null for a key that does not expire. */
export function parseExpiry(context: GraphContext, value: Date | null | undefined): Date | null {
  if (!value) return null;
  if (value <= context.now()) throw invalid('expires_at must be in the future.', 'input.expiresAt');
  return value;
}
