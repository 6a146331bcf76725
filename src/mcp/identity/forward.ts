import { randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Directory } from '../../directory/memory.ts';
import type { SigningKeys } from '../../storage/signing-keys/index.ts';
import { identityHeader } from '../configurations/identity-header.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { UpstreamCredentials } from '../lines/credentials.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { ProveIdentity, ProvenIdentity } from './prove.ts';

type Forwarding = NonNullable<McpConfigurations['user_identity_forwarding']>;

/** Claims that a server gets to know where its integration names none. */
const usualClaims = [
  ...['sub', 'email', 'username', 'user_id', 'workspace_id', 'organisation_id', 'scope', 'client_id'],
];
export type ForwardDeps = {
  prove: ProveIdentity;
  users: Directory['users'];
  signingKeys: Pick<SigningKeys, 'current'>;
  now(): Date;
};

/** Milliseconds that a signed identity must still have to be sent again. */
const LEAST_LEFT_MS = 15_000;

/** Credentials to which the identity of the caller is added, where the integration says so. */
export function withIdentity(credentials: UpstreamCredentials, deps: ForwardDeps): UpstreamCredentials {
  const signed = new LRUCache<string, { jwt: string; until: number }>({ max: 5000 });

  async function jwtOf(server: McpServerRecord, claims: JWTPayload, issuer: string, seconds: number) {
    const { url } = server.upstream;
    const key = JSON.stringify([server.id, url, issuer, seconds, claims]);
    const at = deps.now().getTime();
    const known = signed.get(key);
    if (known && known.until > at) return known.jwt;
    const { id, privateKey } = deps.signingKeys.current();
    const issuedAt = Math.floor(at / 1000);
    const jwt = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: id })
      .setIssuer(issuer)
      .setAudience(url)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .sign(privateKey);
    signed.set(key, { jwt, until: at + seconds * 1000 - LEAST_LEFT_MS });
    return jwt;
  }

  async function identityHeaders(
    server: McpServerRecord,
    caller: McpCaller,
    rule: Forwarding,
  ): Promise<Record<string, string>> {
    const proven = await deps.prove(server, caller.headers);
    const name = identityHeader(server.upstream.configurations) ?? '';
    if (rule.method === 'bearer') return proven ? { [name]: `Bearer ${proven.token}` } : {};
    const claims = await claimsOf(caller, proven, rule, deps);
    if (rule.method === 'claims_header') return { [name]: asciiJson(claims) };
    return { [name]: await jwtOf(server, claims, caller.base, rule.jwt_expiry_seconds) };
  }

  return {
    headersFor(server, caller, onRenewal) {
      const rule = server.upstream.configurations.user_identity_forwarding;
      if (rule === undefined) return credentials.headersFor(server, caller, onRenewal);
      return Promise.all([
        credentials.headersFor(server, caller, onRenewal),
        identityHeaders(server, caller, rule),
      ]).then(([shared, own]) => ({ ...without(shared, Object.keys(own)), ...own }));
    },
    forget: credentials.forget,
    stepUp: credentials.stepUp,
  };
}

const without = (headers: Record<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));

/** What is said of a caller. Of the gateway's own facts a token of somebody else says nothing. */
async function claimsOf(
  { key: { principal }, clientId }: McpCaller,
  proven: ProvenIdentity | null,
  { include_claims: wanted = usualClaims }: Forwarding,
  { users }: ForwardDeps,
): Promise<JWTPayload> {
  const { userId } = principal;
  const user = userId === null ? null : await users.get(userId);
  const known: Record<string, unknown> = {
    ...{ sub: userId ?? principal.id, username: principal.name, scope: [...principal.scopes].join(' ') },
    ...(user && { email: user.email }),
    ...proven?.claims,
    ...{ user_id: userId, workspace_id: principal.workspaceId, organisation_id: principal.organisationId },
    ...{ client_id: clientId },
  };
  const chosen = wanted.flatMap((name) => (known[name] == null ? [] : [[name, known[name]] as const]));
  return Object.fromEntries(chosen);
}

/** JSON in characters that a header takes. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
