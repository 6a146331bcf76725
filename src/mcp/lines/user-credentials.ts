import type { Secrets } from '../../storage/secrets.ts';
import { connectionOwner, connectUrl, type McpConnections, widerScope } from '../connections/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { UpstreamProblem } from '../upstream/index.ts';
import { credentialFailure } from './asked-failure.ts';
import type { UpstreamCredentials } from './credentials.ts';

type Deps = {
  /** For servers at which all callers share a credential. */
  shared: UpstreamCredentials;
  connections: Pick<McpConnections, 'live'>;
  secrets: Pick<Secrets, 'encrypt'>;
  now(): number;
};

/** The credentials of callers at servers where each user signs in; those of other servers are shared. */
export function createUserCredentials({ shared, connections, secrets, now }: Deps): UpstreamCredentials {
  const ownerOf = (server: McpServerRecord, { key }: McpCaller) => {
    const owner = connectionOwner(key.principal, server.upstream.id);
    if (owner === null) throw userRequired(server);
    return owner;
  };

  function headers(server: McpServerRecord, caller: McpCaller, token: string | null): Record<string, string> {
    if (token === null) throw signInNeeded(server, caller);
    return { authorization: `Bearer ${token}`, ...server.upstream.configurations.passthrough_headers };
  }

  function linkFor(server: McpServerRecord, { key, base }: McpCaller, scope: string | null): string {
    const userId = key.principal.userId ?? '';
    const link = { organisationId: server.organisationId, serverId: server.id, userId, scope };
    return connectUrl(secrets, base, link, now());
  }

  const signInNeeded = (server: McpServerRecord, caller: McpCaller): RpcFailure =>
    signInFailure(server, `Sign in at the MCP server ${server.slug} first`, linkFor(server, caller, null));

  return {
    headersFor(server, caller, onRenewal) {
      if (server.upstream.authType !== 'oauth_auto') return shared.headersFor(server, caller, onRenewal);
      const token = connections.live.get(ownerOf(server, caller), onRenewal);
      return token instanceof Promise
        ? token.then((found) => headers(server, caller, found))
        : headers(server, caller, token);
    },
    async forget(server, caller, used) {
      if (server.upstream.authType !== 'oauth_auto') return shared.forget(server, caller, used);
      const refused = (used.authorization ?? '').replace(/^Bearer /, '');
      const token = await connections.live.renew(ownerOf(server, caller), refused).catch((error: unknown) => {
        throw error instanceof UpstreamProblem ? credentialFailure(server, error) : error;
      });
      if (token === null) throw signInNeeded(server, caller);
      return true;
    },
    async stepUp(server, caller, challenge) {
      if (server.upstream.authType !== 'oauth_auto') return null;
      const asked = await connections.live.askedScope(ownerOf(server, caller));
      const scope = widerScope(challenge, asked);
      if (scope === null) return null;
      const why = `The MCP server ${server.slug} wants more than you have allowed: sign in there again`;
      return signInFailure(server, why, linkFor(server, caller, scope));
    },
  };
}

const userRequired = ({ slug }: McpServerRecord): RpcFailure =>
  new RpcFailure(
    rpc.unauthenticated,
    `Each user signs in at the MCP server ${slug}: use a key or a token that stands for a user.`,
    { data: { type: 'user_required', server: slug } },
  );

const signInFailure = ({ slug }: McpServerRecord, why: string, url: string): RpcFailure =>
  new RpcFailure(rpc.unauthenticated, `${why}: ${url}`, {
    data: { type: 'oauth_required', server: slug, authorization_url: url },
  });
