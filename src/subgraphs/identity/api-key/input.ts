import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { configIn } from '../../routing/config/index.ts';
import { parseMembers, parseMetadata } from '../metadata.ts';
import { withRequiredMetadata } from '../organisation/index.ts';
import { workspaceById } from '../workspace/index.ts';
import type { ApiKeyDefaults, ApiKeyDocument } from './model.ts';

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
    throw invalidInput(param, 'Organisation-wide keys make no requests and take no defaults.');
  }
  const { metadata, config_id: configId, allow_config_override: allowOverride } = members;
  if (allowOverride !== undefined && typeof allowOverride !== 'boolean') {
    throw invalidInput(`${param}.allow_config_override`, 'defaults.allow_config_override must be a boolean.');
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
    throw invalidInput(`${param}.config_id`, 'defaults.config_id names no active config of the workspace.');
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

/** A user key without a config of its own takes the one that its workspace has for it. */
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
  if (value <= context.now()) throw invalidInput('input.expiresAt', 'expires_at must be in the future.');
  return value;
}

/** Addresses that mails go to, each once. */
export const parseAddresses = (given: readonly string[] | null | undefined): string[] => [
  ...new Map((given ?? []).map((address) => [address.toLowerCase(), address])).values(),
];
