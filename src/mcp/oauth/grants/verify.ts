import { hash } from 'node:crypto';
import { type Principal, tokenExpired, tokenInvalid } from '../../../auth/index.ts';
import { usable } from '../../../authentication/authenticate.ts';
import { grantsOn } from '../../../authentication/grants.ts';
import { headerOfToken, whenKnown } from '../../../authentication/tokens/verifier.ts';
import type { Directory, KeyRecord, UserRecord, WorkspaceRecord } from '../../../directory/memory.ts';
import { GatewayError } from '../../../errors/index.ts';
import { grownCache } from '../../../lib/grown-cache.ts';
import type { SigningKeys } from '../../../storage/signing-keys/index.ts';
import { reachOf, type ScopeReach } from '../scopes.ts';
import { type ProvenClaims, proveMcpToken } from './access-token.ts';
import type { McpGrantRecord, McpGrants } from './records.ts';

/** Whoever comes with an access token for MCP servers. */
export type McpTokenBearer = ScopeReach & {
  record: KeyRecord;
  clientId: string;
  grantId: string;
  scopes: readonly string[];
};

export type McpTokenVerifier = {
  /**
   * Whom a token stands for now; throws UNAUTHENTICATED for one that is not valid, over, taken back, or for none of the
   * audiences. The result is a promise only for a token, a grant or a holder that is new here.
   */
  verify(token: string, audiences: readonly string[]): McpTokenBearer | Promise<McpTokenBearer>;
};

type Options = {
  directory: Pick<Directory, 'keys' | 'users' | 'workspaces'>;
  grants: McpGrants;
  keys: Pick<SigningKeys, 'find'>;
  now: () => Date;
};

type Kept = ProvenClaims & ScopeReach & { keyId: string };
type Holder = KeyRecord | UserRecord;

/** Tokens whose signature is checked once and not with every request. */
const KEPT = 20_000;
/** The ids of this installation's signing keys are thumbprints. */
const keyIdForm = /^[\w-]{43}$/;

export function createMcpTokenVerifier({ directory, grants, keys, now }: Options): McpTokenVerifier {
  const proven = grownCache<Kept>(KEPT);
  const records = new WeakMap<
    McpGrantRecord,
    { holder: Holder; workspace: WorkspaceRecord; record: KeyRecord }
  >();

  function claimsOf(token: string): Kept | Promise<Kept> {
    const digest = hash('sha256', token, 'base64');
    const kept = proven.get(digest);
    const keyId = kept?.keyId ?? headerOfToken(token)?.keyId ?? '';
    if (!keyIdForm.test(keyId)) throw tokenInvalid();
    return whenKnown(keys.find(keyId), (key) => {
      // This is also the answer to a token that was valid until its key was revoked.
      if (!key) throw tokenInvalid();
      if (kept) return kept;
      return proveMcpToken(token, key, now()).then((claims) => {
        const fresh = { ...claims, ...reachOf(claims.scopes), keyId };
        proven.set(digest, fresh);
        return fresh;
      });
    });
  }

  /** The record of a grant, the same object while its holder and its workspace are. */
  function recordOf(grant: McpGrantRecord, holder: Holder, workspace: WorkspaceRecord): KeyRecord {
    const made = records.get(grant);
    if (made?.holder === holder && made.workspace === workspace) return made.record;
    const record = 'principal' in holder ? ofKey(holder, grant) : ofUser(holder, grant, workspace);
    records.set(grant, { holder, workspace, record });
    return record;
  }

  const holderOf = (grant: McpGrantRecord): Holder | null | Promise<Holder | null> =>
    grant.holder.kind === 'user'
      ? directory.users.get(grant.holder.userId)
      : directory.keys.get(grant.holder.secretHash);

  return {
    verify: (token, audiences) =>
      whenKnown(claimsOf(token), (claims) => {
        if (claims.expiresAt <= now().getTime()) throw tokenExpired();
        if (!audiences.includes(claims.audience)) throw wrongAudience();
        return whenKnown(grants.get(claims.grantId), (grant) => {
          if (!grant) throw takenBack();
          return whenKnown(holderOf(grant), (holder) => {
            if (!holder) throw takenBack();
            const place = `${grant.organisationId}/${grant.workspaceId}`;
            return whenKnown(directory.workspaces.get(place), (workspace) => {
              if (!workspace) throw takenBack();
              const record = recordOf(grant, holder, workspace);
              usable(record);
              const { clientId, scopes, mayRead, mayCall } = claims;
              return { record, clientId, grantId: grant.id, scopes, mayRead, mayCall };
            });
          });
        });
      }),
  };
}

/** A person, as a role in the workspace lets them in; which servers they may use is another question. */
function ofUser(user: UserRecord, grant: McpGrantRecord, workspace: WorkspaceRecord): KeyRecord {
  const isMember = user.organisationId === grant.organisationId && grantsOn(user, workspace.id).length > 0;
  if (!isMember) throw takenBack();
  return {
    principal: personIn(grant, { id: user.id, name: user.email, metadata: workspace.metadata }),
    ...{ expiresAt: null, defaultConfig: null, allowConfigOverride: true },
    ...{ savedConfigsOnly: workspace.savedConfigsOnly, logMode: workspace.logMode, limits: [] },
  };
}

/** A key lends its holder what it may do at MCP servers, and no more. */
function ofKey(key: KeyRecord, grant: McpGrantRecord): KeyRecord {
  const { principal } = key;
  const isSame =
    principal.organisationId === grant.organisationId && principal.workspaceId === grant.workspaceId;
  if (!isSame || !principal.scopes.has('mcp.invoke')) throw takenBack();
  const { userId, name, metadata } = principal;
  if (userId !== null) return { ...key, principal: personIn(grant, { id: userId, name, metadata }) };
  return { ...key, principal: { ...principal, scopes: onlyMcp } };
}

const onlyMcp: Principal['scopes'] = new Set(['mcp.invoke']);

const personIn = (
  { organisationId, workspaceId }: McpGrantRecord,
  { id, name, metadata }: Pick<Principal, 'id' | 'name' | 'metadata'>,
): Principal => ({
  ...{ kind: 'user', id, name, organisationId, workspaceId, userId: id },
  scopes: onlyMcp,
  metadata,
});

const wrongAudience = () =>
  new GatewayError('UNAUTHENTICATED', { message: 'The access token is for another resource.' });

/** One message for every change that can have happened since the token was issued. */
const takenBack = () =>
  new GatewayError('UNAUTHENTICATED', {
    message: 'The access token was taken back, or its user, key or workspace is not what it was.',
  });
