import { createServer } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { listen } from '../../src/http/server.ts';

type Key = { kid: string; privateKey: CryptoKey };

export type TestIssuer = {
  /** The claim `iss`. */
  name: string;
  jwksUrl: string;
  /** A new RSA key, published and used from now on. */
  rotate(): Promise<void>;
  /** Publishes one more key, which signs nothing by itself. */
  publish(jwk: JWK): void;
  /** Claims and header over those of a good token, which undefined takes away; signed with RS256. */
  sign(claims?: JWTPayload, header?: Record<string, unknown>, key?: CryptoKey): Promise<string>;
  /** Of the current key. */
  publicKey(): JWK;
  /** How often somebody asked for the keys. */
  requests: number;
  /** What is answered in place of the keys. */
  answer: { status: number; body: string; headers?: Record<string, string> } | null;
  stop(): Promise<void>;
};

/** A real HTTP server on loopback in the place of an identity provider. */
export async function startIssuer(name: string, defaults: JWTPayload = {}): Promise<TestIssuer> {
  const published: JWK[] = [];
  let current: Key;
  const server = createServer((_request, response) => {
    issuer.requests++;
    const { status, body, headers } = issuer.answer ?? {
      status: 200,
      body: JSON.stringify({ keys: published }),
    };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  });
  const port = await listen(server, '127.0.0.1', 0);

  const issuer: TestIssuer = {
    name,
    jwksUrl: `http://127.0.0.1:${port}/jwks`,
    requests: 0,
    answer: null,
    async rotate() {
      const kid = `key-${published.length + 1}`;
      const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
      current = { kid, privateKey };
      published.push({ ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' });
    },
    publish: (jwk) => void published.push(jwk),
    publicKey: () => published.find(({ kid }) => kid === current.kid) ?? {},
    sign: (claims, header, key = current.privateKey) =>
      new SignJWT({ iss: name, exp: Math.floor(Date.now() / 1000) + 600, ...defaults, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: current.kid, ...header })
        .sign(key),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await issuer.rotate();
  return issuer;
}
