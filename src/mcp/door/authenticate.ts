import type { IncomingMessage } from 'node:http';
import { credentialOf, type DoorAuthenticate } from '../../authentication/authenticate.ts';
import type { KeyRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { challenge, insufficientScope } from './challenge.ts';

/** Finds out who sends a request; throws, or rejects with, an RpcFailure. `resourceUrl`: the endpoint that was asked. */
export type AuthenticateMcp = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  resourceUrl: string,
) => McpCaller | Promise<McpCaller>;

/** Takes the credentials of the gateway: keys, access tokens of service accounts, and JWTs of its issuers. */
export function createMcpAuthenticate(authenticate: DoorAuthenticate): AuthenticateMcp {
  return function authenticateMcp(request, resourceUrl) {
    const credential = credentialOf(request.headers);
    if (credential === null)
      throw challenge(
        resourceUrl,
        'Send an API key of the gateway as x-gateway-api-key, or a token as Authorization: Bearer.',
        false,
      );
    const admitted = (key: KeyRecord) => callerOf(key, resourceUrl);
    const refused = (error: unknown) => Promise.reject(refusalOf(error, resourceUrl));
    try {
      const found = authenticate(credential, clientAddress(request));
      return found instanceof Promise ? found.catch(refused).then(admitted) : admitted(found);
    } catch (error) {
      throw refusalOf(error, resourceUrl);
    }
  };
}

function callerOf(key: KeyRecord, resourceUrl: string): McpCaller {
  const { kind, scopes } = key.principal;
  if (!scopes.has('mcp.invoke'))
    throw insufficientScope(resourceUrl, 'The credential lacks the scope mcp.invoke.', 'mcp.invoke');
  return { key, authType: kind === 'jwt' ? 'jwt' : 'api_key', clientId: null, mayCall: true };
}

function refusalOf(error: unknown, resourceUrl: string): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { status } = error.entry;
  if (status === 401) return challenge(resourceUrl, error.message, true);
  const code = status === 403 ? rpc.forbidden : status === 429 ? rpc.rateLimited : rpc.unreachable;
  return new RpcFailure(code, error.message, { status, cause: error });
}
