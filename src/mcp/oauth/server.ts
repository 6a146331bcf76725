import type { Connection } from 'mongoose';
import type { Directory } from '../../directory/memory.ts';
import type { HostPolicy } from '../../lib/http/custom-host.ts';
import type { Settings } from '../../settings/index.ts';
import type { Changes } from '../../storage/changes.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { SigningKeys } from '../../storage/signing-keys/index.ts';
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts';
import {
  createDescribedClients,
  findClient,
  type OauthClient,
  type RegisteredClient,
  registerClient,
} from './clients/index.ts';
import {
  type Agreement,
  type Consented,
  createMcpGrants,
  createMcpTokenVerifier,
  endGrant,
  hasAgreed,
  type McpGrantDocument,
  type McpTokenVerifier,
  makeGrant,
} from './grants/index.ts';
import { type Introspection, introspect } from './introspect.ts';
import { endByToken, type Revocation } from './revoke.ts';
import { answerTokenRequest, type McpTokenRequest, type TokenDeps, type TokenGiven } from './token.ts';

/** The authorization server for MCP clients: what its endpoints do, without HTTP. */
export type McpOauth = {
  /** Throws an OauthProblem for one that is not known. */
  client(clientId: string): Promise<OauthClient>;
  register(body: unknown, address: string): Promise<RegisteredClient>;
  /** What a browser asks for in the name of a client. Throws a AuthorizationProblem. */
  authorization(query: URLSearchParams, issuer: string): Promise<AuthorizationRequest>;
  /** Whether somebody has agreed to as much before, so that they need not be asked. */
  hasAgreed(asked: Agreement): Promise<boolean>;
  grant(consented: Consented): Promise<{ grantId: string; code: string }>;
  token(request: McpTokenRequest): Promise<TokenGiven>;
  introspect: Introspection;
  /** The grant that was ended; null where the token stood for none of the client. */
  revoke(request: Revocation): Promise<McpGrantDocument | null>;
  endGrant(grantId: string): Promise<boolean>;
  tokens: McpTokenVerifier;
};

export type McpOauthOptions = {
  settings: Pick<Settings['mcp'], 'redirectSchemes' | 'clientHosts'>;
  db: Connection;
  secrets: Secrets;
  changes: Changes;
  directory: Pick<Directory, 'keys' | 'users' | 'workspaces'>;
  signingKeys: Pick<SigningKeys, 'current' | 'find'>;
  /** Connections that judge each address. */
  send: typeof fetch;
  hostPolicy: HostPolicy;
  now: () => Date;
};

export function createMcpOauth(options: McpOauthOptions): McpOauth {
  const { settings, db, secrets, changes, directory, signingKeys, send, now } = options;
  const { redirectSchemes, clientHosts } = settings;
  const foreign = { hostPolicy: options.hostPolicy, hosts: clientHosts };
  const described = createDescribedClients({ send, foreign, redirectSchemes, now: () => now().getTime() });
  const grants = createMcpGrants(db, changes);
  const tokens = createMcpTokenVerifier({ directory, grants, keys: signingKeys, now });
  const base = { db, secrets, changes, signingKeys, now };
  const deps: TokenDeps = { ...base, directory, described, send, foreign, tokens };
  const client = (clientId: string) => findClient(db, described, clientId);
  return {
    client,
    register: (body, address) => registerClient({ db, secrets, now, redirectSchemes }, body, address),
    authorization: (query, issuer) => readAuthorizationRequest(query, { client, issuer, redirectSchemes }),
    hasAgreed: (asked) => hasAgreed(db, asked, now()),
    grant: (consented) => makeGrant({ db, secrets, now }, consented),
    token: (request) => answerTokenRequest(deps, request),
    introspect: (token, asker) => introspect(tokens, token, asker),
    revoke: (request) => endByToken(deps, request),
    endGrant: (grantId) => endGrant({ db, changes }, grantId),
    tokens,
  };
}
