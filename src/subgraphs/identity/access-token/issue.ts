import { randomUUID } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, type HeldRole, signAccessToken } from '../../../auth/index.ts';
import type { AccountRecord } from '../../../directory/memory.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { loadAccountRecords } from '../access-policy/index.ts';
import type { ServiceAccountDocument } from '../service-account/index.ts';
import { type TenantDocument, tenantModel } from '../tenant/index.ts';
import { auditRefusal } from './audit.ts';
import { type Client, findClient, invalidClient } from './client.ts';

export type TokenRequest = {
  client: Client;
  grantType: string | undefined;
  /** `tsg_id:<tsg_id>` */
  scope: string | undefined;
  /** Address of this installation, as the token names it. */
  issuer: string;
};

/** The answer of the token endpoint (RFC 6749, section 5.1). */
export type AccessToken = {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  scope: string;
};

/**
 * Gives a service account a token for its own tenant, one below it, or one whose policies name it.
 * Throws INVALID_CLIENT, UNSUPPORTED_GRANT_TYPE, INVALID_SCOPE and UNAUTHORIZED_CLIENT.
 */
export async function issueAccessToken(context: GraphContext, request: TokenRequest): Promise<AccessToken> {
  const found = await findClient(context, request.client);
  if (!found) throw invalidClient();
  try {
    if (!found.isGenuine) throw invalidClient();
    return await issue(context, found.account, request);
  } catch (error) {
    auditRefusal(context, found.account, request, error);
    throw error;
  }
}

async function issue(
  context: GraphContext,
  account: ServiceAccountDocument,
  { grantType, scope, issuer }: TokenRequest,
): Promise<AccessToken> {
  requireGrantType(grantType);
  const tsgId = tsgIdOf(scope);
  const record = await recordOf(context, account, tsgId);
  const token = await signAccessToken(context.signingKeys.current(), {
    clientId: account._id,
    tsgId,
    // Of the secret that was compared: a new one may have come since.
    secretVersion: account.secretVersion,
    access: heldRoles(record),
    issuer,
    tokenId: randomUUID(),
    issuedAt: context.now(),
  });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    scope: `tsg_id:${tsgId}`,
  };
}

function requireGrantType(grantType: string | undefined): void {
  if (grantType === undefined) {
    throw invalidInput('grant_type', 'grant_type is missing.');
  }
  if (grantType !== 'client_credentials') throw new GatewayError('UNSUPPORTED_GRANT_TYPE');
}

function tsgIdOf(scope: string | undefined): string {
  const tsgId = /^tsg_id:(\d{10})$/.exec(scope ?? '')?.[1];
  if (!tsgId) throw new GatewayError('INVALID_SCOPE', { param: 'scope' });
  return tsgId;
}

/** What the account may do in the tenant; a tenant that does not exist looks like one that is out of its reach. */
async function recordOf(
  { db }: GraphContext,
  account: ServiceAccountDocument,
  tsgId: string,
): Promise<AccountRecord> {
  const pair = `${account._id}/${tsgId}`;
  const record = (await loadAccountRecords(db, [pair])).get(pair);
  if (record) return record;
  const tenant = await tenantModel(db).findById(tsgId, { ancestors: 1 }).lean<TenantDocument>();
  const isWithinReach = tenant && [tsgId, ...tenant.ancestors].includes(account.tsgId);
  throw new GatewayError(isWithinReach ? 'UNAUTHORIZED_CLIENT' : 'INVALID_SCOPE', { param: 'scope' });
}

/** Roles that a token lists: it travels in a header. Those on the whole tenant come first. */
const MAX_ROLES = 30;

const heldRoles = ({ tsgId, grants }: AccountRecord): HeldRole[] =>
  grants
    .toSorted((a, b) => Number(a.workspaceId !== null) - Number(b.workspaceId !== null))
    .slice(0, MAX_ROLES)
    .map(({ role, workspaceId }) => ({ role, resource: `prn:${tsgId}::::${workspaceId ?? ''}` }));
