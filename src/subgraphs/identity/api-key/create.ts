import type { ApiKeyType, Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { maskSecret } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import { parseLimits } from '../../limits/given.ts';
import { requireOwnOrganisation } from '../../own-organisation.ts';
import type { CreateWorkspaceUserApiKeyInput } from '../../types.generated.ts';
import { requireWorkspaceUser } from '../member/index.ts';
import { workspaceIdFor } from '../workspace/index.ts';
import { nextNotice } from './expiry-notice.ts';
import { parseAddresses, parseDefaults, parseExpiry, withLabels, withWorkspaceConfig } from './input.ts';
import { requireLimitSetter } from './limit-setter.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';
import { parsePolicy } from './rotation-policy.ts';
import { grantedScopes, requireKeyScope } from './scopes.ts';

/** Of the three kinds of creation, the one with all the members. */
type CreateApiKeyInput = CreateWorkspaceUserApiKeyInput;

/** Makes a key of the given type. The answer is the only place where the secret stands whole. */
export async function createApiKey(context: GraphContext, type: ApiKeyType, input: CreateApiKeyInput) {
  const principal = requireKeyScope(context.principal, type, 'create');
  requireOwnOrganisation(principal, input.organisationId);
  await requireLimitSetter(context);
  const workspaceId = await ownerWorkspace(context, principal, type, input.workspaceId);
  const owner = {
    organisationId: principal.organisationId,
    workspaceId,
    userId: await ownerUser(context, principal, type, input.userId, workspaceId),
  };
  const scopes = grantedScopes(principal, type, input.scopes);
  const given = await parseDefaults(context, input.defaults, owner);
  const labelled = await withLabels(context, given, workspaceId);
  const defaults =
    type === 'workspace-user' ? await withWorkspaceConfig(context, labelled, workspaceId) : labelled;
  const expiresAt = parseExpiry(context, input.expiresAt);
  const rotationPolicy = parsePolicy(input.rotationPolicy, context.now());
  const alertEmails = parseAddresses(input.alertEmails);
  const limits = parseLimits(input, {}, context.now());
  const key = context.secrets.generateKey();
  const created = await apiKeyModel(context.db).create({
    _id: uuid(),
    ...owner,
    type,
    name: input.name,
    description: input.description ?? null,
    secretHash: context.secrets.hash(key),
    secretMask: maskSecret(key),
    scopes,
    defaults,
    ...{ expiresAt, rotationPolicy, alertEmails, ...limits },
    nextNoticeAt: nextNotice(expiresAt, context.now()),
    creationMode: 'api',
  });
  await context.changes.publish('api_key');
  const apiKey = created.toObject<ApiKeyDocument>();
  return { id: apiKey._id, workspaceId: apiKey.workspaceId, key, apiKey };
}

async function ownerWorkspace(
  context: GraphContext,
  principal: Principal,
  type: ApiKeyType,
  named: string | null | undefined,
): Promise<string | null> {
  if (type !== 'organisation-service') return workspaceIdFor(context, named);
  if (principal.workspaceId === null) return null;
  throw new GatewayError('FORBIDDEN', {
    message: 'Only an organisation-wide credential makes organisation-wide keys.',
  });
}

async function ownerUser(
  context: GraphContext,
  principal: Principal,
  type: ApiKeyType,
  named: string | null | undefined,
  workspaceId: string | null,
): Promise<string | null> {
  if (type !== 'workspace-user' || workspaceId === null) return null;
  // The subject of a JWT is a name at its issuer, and no user of ours.
  if (!named) {
    if (principal.ownOnly?.has('api keys') && principal.userId === null) throw othersKey();
    return principal.kind === 'jwt' ? null : principal.userId;
  }
  if (principal.ownOnly?.has('api keys') && named !== principal.userId) throw othersKey();
  await requireWorkspaceUser(context, named, workspaceId);
  return named;
}

const othersKey = () =>
  new GatewayError('FORBIDDEN', {
    message: 'A member of a workspace makes user keys for nobody else.',
    param: 'input.userId',
  });
