import type { McpConfigurations } from '../configurations/index.ts';
import { documentOf } from '../oauth/bounded-json.ts';
import { connectionProblem, type UpstreamIssuer } from './discovery.ts';
import type { UpstreamClient } from './tokens.ts';

type Wanted = {
  configurations: McpConfigurations;
  /** Where the gateway's own description of itself stands. */
  documentUrl: string;
  redirectUri: string;
};

const TIMEOUT_MS = 10_000;

/** What the gateway says of itself to an issuer (RFC 7591). */
export function describedSelf({ configurations, redirectUri }: Omit<Wanted, 'documentUrl'>) {
  const oauth = configurations.oauth_metadata ?? {};
  const { client_name, client_uri, logo_uri, scope, software_id, software_version, contacts } = oauth;
  const told = { client_uri, logo_uri, scope, software_id, software_version, contacts };
  const further = { ...told, tos_uri: oauth.tos_uri, policy_uri: oauth.policy_uri };
  return {
    client_name: client_name ?? 'Sluice',
    redirect_uris: [redirectUri],
    grant_types: oauth.grant_types ?? ['authorization_code', 'refresh_token'],
    response_types: oauth.response_types ?? ['code'],
    token_endpoint_auth_method: oauth.token_endpoint_auth_method ?? 'none',
    application_type: 'web',
    ...Object.fromEntries(Object.entries(further).filter(([, value]) => value !== undefined)),
  };
}

/** The client that the gateway is at an issuer: the one of the settings, a document of its own, or one that registers now. */
export async function clientAt(
  found: UpstreamIssuer,
  wanted: Wanted,
  send: typeof fetch,
): Promise<UpstreamClient> {
  const oauth = wanted.configurations.oauth_metadata ?? {};
  if (oauth.client_id) {
    const clientSecret = oauth.client_secret ?? null;
    const authMethod =
      oauth.token_endpoint_auth_method ?? (clientSecret === null ? 'none' : 'client_secret_basic');
    return { clientId: oauth.client_id, clientSecret, authMethod };
  }
  if (found.takesDocuments && wanted.documentUrl.startsWith('https:'))
    return { clientId: wanted.documentUrl, clientSecret: null, authMethod: 'none' };
  if (found.registrationEndpoint === null)
    throw connectionProblem('the issuer knows no client: set oauth_metadata.client_id');
  return register(found.registrationEndpoint, wanted, send);
}

async function register(endpoint: string, wanted: Wanted, send: typeof fetch): Promise<UpstreamClient> {
  const answer = await send(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(describedSelf(wanted)),
    ...{ signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' },
  });
  const { status } = answer;
  const body = await documentOf(answer);
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method } = body ?? {};
  if ((status !== 200 && status !== 201) || typeof clientId !== 'string' || clientId === '')
    throw connectionProblem(`the issuer registered no client: HTTP ${status}`);
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : null;
  const isPost = method === 'client_secret_post';
  const authMethod = clientSecret === null ? 'none' : isPost ? 'client_secret_post' : 'client_secret_basic';
  return { clientId, clientSecret, authMethod };
}
