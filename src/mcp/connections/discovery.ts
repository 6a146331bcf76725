import type { JsonObject } from '../../lib/json.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import { documentOf } from '../oauth/bounded-json.ts';
import { problemOf, UpstreamProblem } from '../upstream/index.ts';
import { challengeMember } from './scopes.ts';

/** Where a server's tokens come from. */
export type UpstreamIssuer = {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint: string | null;
  revocationEndpoint: string | null;
  /** Whether it takes the address of a document for the id of a client. */
  takesDocuments: boolean;
  /** Whether its answers say of whom they are (RFC 9207). */
  saysIssuer: boolean;
  /** What a client should ask for; null where the server says nothing. */
  scope: string | null;
};

type Asked = { url: string; configurations: McpConfigurations };

const TIMEOUT_MS = 10_000;

export const connectionProblem = (reason: string, cause?: unknown): UpstreamProblem =>
  new UpstreamProblem('credential', `no sign-in: ${reason}`, cause === undefined ? {} : { cause });

/**
 * Finds out where the users of a server sign in: from the settings, else from what the server and its issuer publish. Rejects
 * with an UpstreamProblem.
 */
export async function discoverIssuer(asked: Asked, send: typeof fetch): Promise<UpstreamIssuer> {
  try {
    return await discover(asked, send);
  } catch (error) {
    throw problemOf(error);
  }
}

async function discover({ url, configurations }: Asked, send: typeof fetch): Promise<UpstreamIssuer> {
  const oauth = configurations.oauth_metadata ?? {};
  if (oauth.authorization_endpoint && oauth.token_endpoint)
    return {
      issuer: oauth.issuer ?? new URL(oauth.token_endpoint).origin,
      authorizationEndpoint: oauth.authorization_endpoint,
      tokenEndpoint: oauth.token_endpoint,
      ...{ registrationEndpoint: null, revocationEndpoint: null, takesDocuments: false, saysIssuer: false },
      scope: null,
    };
  const challenged = await challengeOf(url, send);
  const resource = oauth.issuer ? null : await resourceMetadata(url, challenged.metadata, send);
  const issuer = oauth.issuer ?? firstText(resource?.authorization_servers) ?? new URL(url).origin;
  const found = await issuerMetadata(issuer, send);
  const scopes = Array.isArray(resource?.scopes_supported) ? resource.scopes_supported : [];
  // People are sent there, and codes: what is encrypted up to the server stays so.
  const isOpen = [found.authorizationEndpoint, found.tokenEndpoint].some((each) => each.startsWith('http:'));
  if (isOpen && !url.startsWith('http:')) throw connectionProblem('the issuer has endpoints without https');
  return { ...found, scope: challenged.scope ?? (scopes.length > 0 ? scopes.join(' ') : null) };
}

/** What the server says of itself to whoever comes without a token. */
async function challengeOf(
  url: string,
  send: typeof fetch,
): Promise<{ metadata: string | null; scope: string | null }> {
  const answer = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }),
    ...{ signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' },
  });
  await answer.body?.cancel();
  const header = answer.status === 401 ? (answer.headers.get('www-authenticate') ?? '') : '';
  const metadata = challengeMember(header, 'resource_metadata');
  // Only the server itself says where its metadata are: another host would answer for it.
  const isOwn =
    metadata !== null && URL.canParse(metadata) && new URL(metadata).origin === new URL(url).origin;
  return { metadata: isOwn ? metadata : null, scope: challengeMember(header, 'scope') };
}

async function resourceMetadata(
  url: string,
  named: string | null,
  send: typeof fetch,
): Promise<JsonObject | null> {
  const { origin, pathname } = new URL(url);
  const well = `${origin}/.well-known/oauth-protected-resource`;
  for (const place of new Set([
    ...(named === null ? [] : [named]),
    `${well}${pathname === '/' ? '' : pathname}`,
    well,
  ])) {
    const found = await readJson(place, send);
    if (found === null) continue;
    if (found.resource !== url && found.resource !== origin && found.resource !== `${origin}/`)
      throw connectionProblem('the metadata of the server is about another resource');
    return found;
  }
  return null;
}

async function issuerMetadata(issuer: string, send: typeof fetch): Promise<Omit<UpstreamIssuer, 'scope'>> {
  if (!URL.canParse(issuer)) throw connectionProblem('the server names an issuer that is no address');
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const found = await readJson(place, send);
    if (found === null) continue;
    // An issuer that speaks for another one would get its codes (mix-up).
    if (found.issuer !== issuer) throw connectionProblem('the metadata of the issuer names another issuer');
    return issuerOf(issuer, found);
  }
  throw connectionProblem('the issuer publishes no metadata');
}

function issuerOf(issuer: string, found: JsonObject): Omit<UpstreamIssuer, 'scope'> {
  const methods = found.code_challenge_methods_supported;
  if (!Array.isArray(methods) || !methods.includes('S256'))
    throw connectionProblem('the issuer does not offer PKCE with S256');
  const [authorizationEndpoint, tokenEndpoint] = [
    addressIn(found.authorization_endpoint),
    addressIn(found.token_endpoint),
  ];
  if (authorizationEndpoint === null || tokenEndpoint === null)
    throw connectionProblem('the issuer publishes no endpoints');
  return {
    ...{ issuer, authorizationEndpoint, tokenEndpoint },
    registrationEndpoint: addressIn(found.registration_endpoint),
    revocationEndpoint: addressIn(found.revocation_endpoint),
    takesDocuments: found.client_id_metadata_document_supported === true,
    saysIssuer: found.authorization_response_iss_parameter_supported === true,
  };
}

const addressIn = (value: unknown): string | null =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value) ? value : null;

const firstText = (value: unknown): string | undefined => {
  const [first] = Array.isArray(value) ? value : [];
  return typeof first === 'string' ? first : undefined;
};

async function readJson(url: string, send: typeof fetch): Promise<JsonObject | null> {
  const answer = await send(url, {
    headers: { accept: 'application/json' },
    ...{ signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' },
  });
  const body = await documentOf(answer);
  return answer.status === 200 ? body : null;
}
