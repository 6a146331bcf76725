import { MCP_TOKEN_SECONDS } from '../../auth/index.ts';
import type { Directory } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { uuid } from '../../lib/ids.ts';
import {
  type ClientProof,
  type DescribedClients,
  type ForeignUrls,
  findClient,
  noteClientUse,
  requireProof,
} from './clients/index.ts';
import {
  endGrant,
  type GrantDeps,
  isFirstUse,
  type McpGrantDocument,
  type McpTokenAnswer,
  type McpTokenVerifier,
  mcpGrantModel,
  tokensOf,
  useCode,
  useRefreshToken,
} from './grants/index.ts';
import { invalidGrant, invalidRequest, OauthProblem, unknownClient } from './problem.ts';
import { readResource } from './resource.ts';
import { readScopes } from './scopes.ts';

export type TokenDeps = GrantDeps & {
  directory: Pick<Directory, 'keys'>;
  described: DescribedClients;
  send: typeof fetch;
  foreign: ForeignUrls;
  tokens: McpTokenVerifier;
};

export type McpTokenRequest = {
  form: ReadonlyMap<string, string>;
  proof: ClientProof;
  issuer: string;
};

export type TokenGiven = { answer: McpTokenAnswer; grant: McpGrantDocument };

/** Gives a client tokens. Throws an OauthProblem. */
export async function answerTokenRequest(deps: TokenDeps, request: McpTokenRequest): Promise<TokenGiven> {
  const { form, issuer } = request;
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw invalidRequest('grant_type is missing.');
  const grant = await grantOf(deps, request, grantType);
  const answer = await tokensOf(deps, grant, { issuer, scope: scopeOf(grantType, form) });
  await requireHolder(deps, grant, answer);
  return { answer, grant };
}

/** Elsewhere than at a refresh, what is granted was settled before. */
const scopeOf = (grantType: string, form: ReadonlyMap<string, string>) =>
  grantType === 'refresh_token' ? form.get('scope') : undefined;

async function grantOf(
  deps: TokenDeps,
  request: McpTokenRequest,
  grantType: string,
): Promise<McpGrantDocument> {
  if (grantType === 'client_credentials') return ofServiceKey(deps, request);
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
    throw new OauthProblem(
      'unsupported_grant_type',
      'grant_type must be authorization_code, refresh_token or client_credentials.',
    );
  await requireClient(deps, request);
  const { form, proof } = request;
  const { clientId } = proof;
  const resource = resourceOf(request);
  if (grantType === 'refresh_token') {
    const token = form.get('refresh_token');
    if (token === undefined) throw invalidRequest('refresh_token is missing.');
    return useRefreshToken(deps, { token, clientId, resource });
  }
  const [code, verifier] = [form.get('code'), form.get('code_verifier')];
  if (code === undefined) throw invalidRequest('code is missing.');
  if (verifier === undefined) throw invalidRequest('code_verifier is missing.');
  const redirectUri = form.get('redirect_uri');
  const grant = await useCode(deps, { code, verifier, redirectUri, clientId, resource });
  await noteClientUse(deps.db, clientId, deps.now());
  return grant;
}

const resourceOf = ({ form, issuer }: McpTokenRequest): string | null => {
  const named = form.get('resource');
  return named === undefined ? null : readResource(named, issuer).url;
};

/** Throws an OauthProblem unless the client is known and has proven to be it. */
export async function requireClient(
  deps: TokenDeps,
  { proof, issuer }: Pick<McpTokenRequest, 'proof' | 'issuer'>,
): Promise<void> {
  const client = await findClient(deps.db, deps.described, proof.clientId);
  await requireProof(client, proof, {
    ...deps,
    audiences: [issuer, `${issuer}/oauth/token`],
    isFirstUse: (id, until) => isFirstUse(deps.db, id, until),
  });
}

/** A service key of a workspace is a client by itself: its id and the key are what it proves itself with. */
async function ofServiceKey(
  deps: TokenDeps,
  { form, proof, issuer }: McpTokenRequest,
): Promise<McpGrantDocument> {
  if (proof.secret === null) throw unknownClient();
  const secretHash = deps.secrets.hash(proof.secret.text);
  const key = await deps.directory.keys.get(secretHash);
  const now = deps.now();
  const isOver = key !== null && key.expiresAt !== null && key.expiresAt <= now.getTime();
  if (!key || isOver || key.principal.id !== proof.clientId) throw unknownClient();
  const { kind, id, name, organisationId, workspaceId, scopes } = key.principal;
  if (kind !== 'workspace-service' || workspaceId === null || !scopes.has('mcp.invoke'))
    throw new OauthProblem(
      'unauthorized_client',
      'Only a service key of a workspace with the scope mcp.invoke gets tokens by itself.',
    );
  const grant: McpGrantDocument = {
    ...{ _id: uuid(), organisationId, workspaceId, userId: null, holder: { kind: 'key', secretHash } },
    ...{
      clientId: id,
      clientName: name,
      redirectUri: '',
      resource: readResource(form.get('resource'), issuer).url,
    },
    scopes: readScopes(form.get('scope')),
    ...{ codeHash: null, codeChallenge: null, codeUsedAt: null, generation: 0, rotatedAt: null },
    createdAt: now,
    expiresAt: new Date(now.getTime() + MCP_TOKEN_SECONDS * 1000),
  };
  await mcpGrantModel(deps.db).create(grant);
  return grant;
}

/** The token must be good for something now: the user may be gone, or the key revoked, since it was granted. */
async function requireHolder(
  deps: TokenDeps,
  grant: McpGrantDocument,
  answer: McpTokenAnswer,
): Promise<void> {
  try {
    await deps.tokens.verify(answer.access_token, [grant.resource]);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'UNAUTHENTICATED') throw error;
    await endGrant(deps, grant._id);
    throw invalidGrant();
  }
}
