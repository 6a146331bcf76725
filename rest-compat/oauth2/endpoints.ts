import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../src/auth/index.ts';
import { GatewayError } from '../../src/errors/index.ts';
import type { Knock } from '../../src/graph/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { issueAccessToken } from '../../src/subgraphs/identity/access-token/index.ts';
import { ownAddress } from '../../src/subgraphs/own-address.ts';
import { readBasic } from './basic.ts';
import type { Oauth2Form } from './form.ts';
import { introspect, mcpPaths, mcpToken, metadata, register, revoke } from './mcp.ts';

/** A path of the authentication service; answers the body of a 200. */
export type Oauth2Endpoint = {
  method: 'GET' | 'POST';
  /** The `cache-control` header of the answer. */
  caching: string;
  /** Of an answer that is no refusal; 200 unless it is given. */
  status?: number;
  answer(context: GraphContext, reader: Oauth2Reader): unknown;
};

/** What an endpoint may read of its request. */
export type Oauth2Reader = {
  request: IncomingMessage;
  readForm(): Promise<Oauth2Form>;
  readJson(): Promise<unknown>;
  /** Whom a credential of the gateway stands for; throws UNAUTHENTICATED for a wrong one. */
  authenticate(knock: Knock): Promise<Principal | null>;
};

export const paths = {
  token: '/oauth2/access_token',
  keys: '/oauth2/jwks',
  wellKnownKeys: '/.well-known/jwks.json',
  metadata: '/.well-known/oauth-authorization-server',
} as const;

const token: Oauth2Endpoint = {
  method: 'POST',
  caching: 'no-store',
  async answer(context, { readForm }) {
    const issuer = ownAddress(context);
    const client = readBasic(context.request.headers.authorization);
    const form = await readForm();
    if (form.has('client_secret')) {
      throw new GatewayError('VALIDATION_FAILED', {
        message: 'client_secret belongs into the basic authentication alone.',
        param: 'client_secret',
      });
    }
    const [grantType, scope] = [form.get('grant_type'), form.get('scope')];
    try {
      return await issueAccessToken(context, { client, grantType, scope, issuer });
    } catch (error) {
      const attempt = { door: 'token', address: context.request.clientIp, clientId: client.id };
      return context.throttle.refuse(error, attempt);
    }
  },
};

/** A key is published five minutes before it signs: a client that asks again each minute knows it in time. */
const keys: Oauth2Endpoint = {
  method: 'GET',
  caching: 'public, max-age=60',
  answer: ({ signingKeys }) => ({ keys: signingKeys.published() }),
};

export const endpoints: ReadonlyMap<string, Oauth2Endpoint> = new Map([
  [paths.token, token],
  [paths.keys, keys],
  [paths.wellKnownKeys, keys],
  [paths.metadata, metadata],
  [mcpPaths.token, mcpToken(token)],
  [mcpPaths.register, register],
  [mcpPaths.revoke, revoke],
  [mcpPaths.introspect, introspect],
]);
