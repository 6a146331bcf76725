import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { credentialOf, type DoorAuthenticate } from '../../authentication/authenticate.ts';
import type { KeyRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { isMcpToken, type McpTokenBearer, type McpTokenVerifier } from '../oauth/index.ts';
import { challenge, insufficientScope } from './challenge.ts';

/** Finds out who sends a request; throws, or rejects with, an RpcFailure. `resourceUrl`: the endpoint that was asked. */
export type AuthenticateMcp = (
  request: { headers: IncomingHttpHeaders; socket?: IncomingMessage['socket'] },
  resourceUrl: string,
) => McpCaller | Promise<McpCaller>;

type Proofs = {
  /** Takes keys, access tokens of service accounts, and JWTs of issuers. */
  authenticate: DoorAuthenticate;
  tokens: McpTokenVerifier;
  /** As it is configured; null where the request says at which address it came in. */
  baseUrl: string | null;
  /** The same of the pages for people. */
  pagesUrl: string | null;
};

/** Takes the credentials of the gateway, and the tokens that people let clients have. */
export function createMcpAuthenticate({ authenticate, tokens, baseUrl, pagesUrl }: Proofs): AuthenticateMcp {
  const originOf = rememberedOrigins();
  return function authenticateMcp(request, resourceUrl) {
    const credential = credentialOf(request.headers);
    if (credential === null)
      throw challenge(
        resourceUrl,
        'Send an API key of the gateway as x-gateway-api-key, or a token as Authorization: Bearer.',
        false,
      );
    const base = pagesUrl ?? originOf(resourceUrl);
    const { headers } = request;
    const admitted = (key: KeyRecord) => ({ ...callerOf(key, resourceUrl), headers, base });
    const refused = (error: unknown) => Promise.reject(refusalOf(error, resourceUrl));
    try {
      if (credential.isToken && isMcpToken(credential.secret)) {
        const bearer = tokens.verify(credential.secret, [resourceUrl, baseUrl ?? originOf(resourceUrl)]);
        const byToken = (known: McpTokenBearer) => ({
          ...callerByToken(known, resourceUrl),
          ...{ headers, base },
        });
        return bearer instanceof Promise ? bearer.catch(refused).then(byToken) : byToken(bearer);
      }
      const found = authenticate(credential, clientAddress(request));
      return found instanceof Promise ? found.catch(refused).then(admitted) : admitted(found);
    } catch (error) {
      throw refusalOf(error, resourceUrl);
    }
  };
}

/** Hosts of which a process remembers the origin: the configured one, and loopback addresses as callers write them. */
const REMEMBERED = 100;

/** By the part of an endpoint's address before its path, which a caller may make as long as it likes. */
function rememberedOrigins(): (url: string) => string {
  const origins = grownCache<string>(REMEMBERED);
  return (url) => {
    const place = url.slice(0, url.indexOf('/', url.indexOf('//') + 2));
    let origin = origins.get(place);
    if (origin === undefined) {
      ({ origin } = new URL(place));
      origins.set(place, origin);
    }
    return origin;
  };
}

/** Lists and reads are open to every token: what calls is judged with each message. */
function callerByToken(
  { record, clientId, mayRead, mayCall }: McpTokenBearer,
  resourceUrl: string,
): Omit<McpCaller, 'base' | 'headers'> {
  const caller = { key: record, authType: 'oauth' as const, clientId };
  if (!mayRead)
    throw insufficientScope(resourceUrl, 'The access token has no scope of MCP servers.', { caller });
  return { ...caller, mayCall };
}

function callerOf(key: KeyRecord, resourceUrl: string): Omit<McpCaller, 'base' | 'headers'> {
  const { kind, scopes } = key.principal;
  const authType = kind === 'jwt' ? ('jwt' as const) : ('api_key' as const);
  const caller = { key, authType, clientId: null };
  if (!scopes.has('mcp.invoke'))
    throw insufficientScope(resourceUrl, 'The credential lacks the scope mcp.invoke.', {
      scope: 'mcp.invoke',
      caller,
    });
  return { ...caller, mayCall: true };
}

function refusalOf(error: unknown, resourceUrl: string): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { status } = error.entry;
  if (status === 401) return challenge(resourceUrl, error.message, true);
  const code = status === 403 ? rpc.forbidden : status === 429 ? rpc.rateLimited : rpc.unreachable;
  return new RpcFailure(code, error.message, { status, cause: error });
}
