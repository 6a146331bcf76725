import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** A person as a provider knows them. */
export type Person = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  given_name?: string;
  family_name?: string;
  groups?: string[];
};

export const client = { client_id: 'sluice', client_secret: 'planted-oidc-client-secret-5f1e' };

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const stop = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const server = new URL('oidc-server.mjs', import.meta.url).pathname;

/** A certified OpenID provider in a process of its own. */
export async function startIdentityProvider(redirectUri: string) {
  const child = fork(server, [redirectUri, client.client_id, client.client_secret], {
    execArgv: [],
    silent: true,
  });
  const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }];
  return {
    issuer,
    /** Who signs in from now on. */
    async knows(person: Person): Promise<void> {
      const told = once(child, 'message');
      child.send(person);
      await told;
    },
    async stop(): Promise<void> {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

/** What a provider that breaks the rules says in place of what is right. */
export type Lie = {
  claims?: Record<string, unknown>;
  /** Signs with a key that the provider has not published. */
  signedByAnother?: boolean;
  /** Status and body of the token endpoint in place of tokens. */
  token?: { status: number; body: object };
};

export type LyingProvider = {
  issuer: string;
  person: Person;
  lie: Lie;
  tokenRequests: URLSearchParams[];
  stop(): Promise<void>;
};

/** A provider of our own, whose ID tokens say whatever a test wants. */
export async function startLyingProvider(): Promise<LyingProvider> {
  const [own, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let nonce = '';
  const server = createServer();
  const issuer = await listen(server);
  const shown: LyingProvider = {
    issuer,
    person: { sub: 'nobody' },
    lie: {},
    tokenRequests: [],
    stop: () => stop(server),
  };

  async function tokens(): Promise<{ status: number; body: object }> {
    const { claims, signedByAnother, token } = shown.lie;
    if (token) return token;
    const key = signedByAnother ? other.privateKey : own.privateKey;
    const now = Math.floor(Date.now() / 1000);
    const content = {
      ...{ iss: issuer, aud: client.client_id, nonce, iat: now, exp: now + 60 },
      ...shown.person,
      ...claims,
    };
    const idToken = await new SignJWT(content).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(key);
    return { status: 200, body: { access_token: 'access', token_type: 'Bearer', id_token: idToken } };
  }

  async function answer(
    request: IncomingMessage,
  ): Promise<{ status: number; body: object; location?: string }> {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/.well-known/openid-configuration') {
      const body = {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      };
      return { status: 200, body };
    }
    if (url.pathname === '/jwks') return { status: 200, body: { keys: [jwk] } };
    if (url.pathname === '/auth') {
      nonce = url.searchParams.get('nonce') ?? '';
      const location = `${url.searchParams.get('redirect_uri')}?code=the-code&state=${url.searchParams.get('state')}`;
      return { status: 303, body: {}, location };
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    shown.tokenRequests.push(new URLSearchParams(text));
    return tokens();
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request).then(({ status, body, location }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
      response.end(JSON.stringify(body));
    });
  });
  return shown;
}
