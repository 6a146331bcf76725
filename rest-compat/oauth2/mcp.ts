import { credentialOf } from '../../src/authentication/authenticate.ts';
import { GatewayError } from '../../src/errors/index.ts';
import {
  type ClientProof,
  invalidRequest,
  OauthProblem,
  resourceMetadata,
  serverMetadata,
  unknownClient,
} from '../../src/mcp/oauth/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { recordClient, recordGrantEnd } from '../../src/subgraphs/mcp/mcp-grant/index.ts';
import { describedClient } from '../../src/subgraphs/mcp/mcp-integration/own-client.ts';
import { mcpAddress, ownAddress } from '../../src/subgraphs/own-address.ts';
import { readBasic } from './basic.ts';
import type { Oauth2Endpoint } from './endpoints.ts';
import type { Oauth2Form } from './form.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';

/**
 * The address under which a client looks for metadata: that of MCP servers where it asks there. A client compares it with
 * the one that it has asked.
 */
function issuerAsked(context: GraphContext): string {
  const { baseUrl } = context.mcp;
  const isThere = baseUrl !== null && new URL(baseUrl).host === context.request.headers.host;
  return isThere ? baseUrl : ownAddress(context);
}

const metadata: Oauth2Endpoint = {
  method: 'GET',
  caching: 'no-store',
  answer: (context) => serverMetadata(issuerAsked(context), ownAddress(context)),
};

const resource: Oauth2Endpoint = {
  method: 'GET',
  caching: 'no-store',
  answer(context) {
    const found = resourceMetadata(mcpAddress(context), context.request.path.slice(RESOURCE.length));
    if (!found) throw new GatewayError('NOT_FOUND', { message: 'No MCP server has such an address.' });
    return found;
  },
};

const register: Oauth2Endpoint = {
  method: 'POST',
  caching: 'no-store',
  status: 201,
  async answer(context, { readJson }) {
    const client = await context.mcp.oauth.register(await readJson(), context.request.clientIp);
    await recordClient(context, client);
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
      ...(client.secret !== null && { client_secret: client.secret, client_secret_expires_at: 0 }),
      ...(client.name !== null && { client_name: client.name }),
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: client.authMethod,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(client.jwks !== null && { jwks: client.jwks }),
      ...(client.jwksUri !== null && { jwks_uri: client.jwksUri }),
    };
  },
};

/** Who guesses clients, codes or tokens waits longer and longer. */
async function slowly<T>(context: GraphContext, clientId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OauthProblem && ['invalid_client', 'invalid_grant'].includes(error.code))
      await context.throttle.slow({ door: 'token', address: context.request.clientIp, clientId });
    throw error;
  }
}

/** Tokens for MCP clients, and for service accounts, which ask for their tenant here as they do at the other path. */
export const mcpToken = (ofServiceAccount: Oauth2Endpoint): Oauth2Endpoint => ({
  method: 'POST',
  caching: 'no-store',
  async answer(context, reader) {
    const form = await reader.readForm();
    const isAccount =
      form.get('grant_type') === 'client_credentials' && form.get('scope')?.startsWith('tsg_id:');
    if (isAccount) return ofServiceAccount.answer(context, { ...reader, readForm: async () => form });
    const proof = proofOf(context.request.headers.authorization, form);
    const issuer = mcpAddress(context);
    const given = await slowly(context, proof.clientId, () =>
      context.mcp.oauth.token({ form, proof, issuer }),
    );
    return given.answer;
  },
});

const revoke: Oauth2Endpoint = {
  method: 'POST',
  caching: 'no-store',
  async answer(context, { readForm }) {
    const form = await readForm();
    const proof = proofOf(context.request.headers.authorization, form);
    const request = { token: tokenOf(form), proof, issuer: mcpAddress(context) };
    const grant = await slowly(context, proof.clientId, () => context.mcp.oauth.revoke(request));
    if (grant) await recordGrantEnd(context, grant);
    return {};
  },
};

const introspect: Oauth2Endpoint = {
  method: 'POST',
  caching: 'no-store',
  async answer(context, { readForm, request, authenticate }) {
    if (!credentialOf(request.headers)) throw new GatewayError('UNAUTHENTICATED');
    const asker = await authenticate({ headers: request.headers, socket: request.socket });
    if (!asker) throw new GatewayError('UNAUTHENTICATED');
    return context.mcp.oauth.introspect(tokenOf(await readForm()), asker);
  },
};

function tokenOf(form: Oauth2Form): string {
  const token = form.get('token');
  if (token === undefined) throw invalidRequest('token is missing.');
  return token;
}

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_SECRET = 512;

/** How a client says who it is: by exactly one of the ways of the standard. */
function proofOf(authorization: string | undefined, form: Oauth2Form): ClientProof {
  const [id, secret, assertion] = ['client_id', 'client_secret', 'client_assertion'].map((name) =>
    form.get(name),
  );
  const basic = authorization === undefined ? null : readBasic(authorization);
  if ([basic ?? undefined, secret, assertion].filter((way) => way !== undefined).length > 1)
    throw invalidRequest('A client proves itself in one way at a time.');
  if (basic && id !== undefined && id !== basic.id) throw unknownClient();
  if (assertion !== undefined && form.get('client_assertion_type') !== ASSERTION)
    throw invalidRequest(`client_assertion_type must be ${ASSERTION}.`);
  const clientId = basic?.id ?? id ?? subjectOf(assertion);
  if (clientId === undefined) throw invalidRequest('client_id is missing.');
  const text = basic?.secret ?? secret;
  if (text !== undefined && text.length > MAX_SECRET) throw unknownClient();
  const by = basic ? 'client_secret_basic' : 'client_secret_post';
  return { clientId, secret: text === undefined ? null : { text, by }, assertion: assertion ?? null };
}

/** Whom an assertion is of by its own word; its signature is judged later. */
function subjectOf(assertion: string | undefined): string | undefined {
  if (assertion === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
    const { sub } = claims as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    // A text that is no JWT names nobody.
    return undefined;
  }
}

export const mcpPaths = {
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
} as const;

const CLIENT = /^\/oauth\/client\/([0-9a-f-]{36})\.json$/;

/** What the gateway says of itself to the issuers of a server, at the address that is its client id there. */
const ownClient: Oauth2Endpoint = {
  method: 'GET',
  caching: 'public, max-age=300',
  async answer(context) {
    const [, id = ''] = CLIENT.exec(context.request.path) ?? [];
    const described = await describedClient(context, id);
    if (!described) throw new GatewayError('NOT_FOUND', { message: 'There is no such client.' });
    return described;
  },
};

/** The endpoint of a path that is one of many: metadata of resources, and of the gateway as a client. */
export function endpointBelow(path: string): Oauth2Endpoint | null {
  if (path === RESOURCE || path.startsWith(`${RESOURCE}/`)) return resource;
  return CLIENT.test(path) ? ownClient : null;
}

export { introspect, metadata, register, revoke };
