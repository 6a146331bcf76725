import { documentOf } from '../oauth/bounded-json.ts';
import { UpstreamProblem } from '../upstream/index.ts';
import { connectionProblem } from './discovery.ts';

/** The client that the gateway is at an issuer. */
export type UpstreamClient = {
  clientId: string;
  clientSecret: string | null;
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
};

/** What is kept of a user's connection, in the clear in memory only. */
export type ConnectionTokens = {
  accessToken: string;
  refreshToken: string | null;
  /** Milliseconds since the epoch; null where the issuer did not say. */
  expiresAt: number | null;
  scope: string | null;
  /** What the sign-in asked for; null where it named no scopes, absent of connections that nobody has asked that of. */
  askedScope?: string | null;
  client: UpstreamClient;
  tokenEndpoint: string;
  revocationEndpoint: string | null;
  /** What the tokens are for: the address of the server. */
  resource: string;
};

export type TokenPlace = Pick<
  ConnectionTokens,
  'client' | 'tokenEndpoint' | 'revocationEndpoint' | 'resource' | 'askedScope'
>;

/** The issuer has taken back what was shown to it. */
export class GrantRefused extends UpstreamProblem {
  constructor() {
    super('credential', 'no sign-in: the issuer takes this sign-in no more');
    this.name = 'GrantRefused';
  }
}

const TIMEOUT_MS = 10_000;

/** Asks for tokens. Rejects with a GrantRefused, or with another UpstreamProblem where that says nothing about the grant. */
export async function requestTokens(
  place: TokenPlace,
  grant: Record<string, string>,
  send: typeof fetch,
  now: number,
): Promise<ConnectionTokens> {
  const answer = await posted(
    place.tokenEndpoint,
    { ...grant, resource: place.resource },
    place.client,
    send,
  );
  const { status } = answer;
  const body = (await documentOf(answer)) ?? {};
  if (status === 400 && body.error === 'invalid_grant') throw new GrantRefused();
  if (status !== 200) throw connectionProblem(`the token endpoint answered HTTP ${status}`);
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = body;
  const type = typeof body.token_type === 'string' ? body.token_type.toLowerCase() : 'bearer';
  if (!isToken(accessToken) || type !== 'bearer')
    throw connectionProblem('the token endpoint answered no bearer token');
  const kept = grant.refresh_token ?? null;
  return {
    accessToken,
    // An issuer that does not rotate keeps the old one.
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : kept,
    expiresAt: typeof seconds === 'number' && seconds > 0 ? now + seconds * 1000 : null,
    scope: typeof scope === 'string' ? scope.slice(0, 2048) : null,
    askedScope: place.askedScope ?? null,
    client: place.client,
    tokenEndpoint: place.tokenEndpoint,
    revocationEndpoint: place.revocationEndpoint,
    resource: place.resource,
  };
}

/** Takes tokens back at their issuer (RFC 7009), where it offers that. False where it did not work. */
export async function revokeTokens(tokens: ConnectionTokens, send: typeof fetch): Promise<boolean> {
  const { revocationEndpoint: endpoint, refreshToken, accessToken, client } = tokens;
  if (endpoint === null) return true;
  const [token, hint] =
    refreshToken === null ? [accessToken, 'access_token'] : [refreshToken, 'refresh_token'];
  try {
    const answer = await posted(endpoint, { token, token_type_hint: hint }, client, send);
    await answer.body?.cancel();
    return answer.status < 300;
  } catch {
    // The tokens are forgotten here whatever the issuer says.
    return false;
  }
}

function posted(
  endpoint: string,
  fields: Record<string, string>,
  { clientId, clientSecret, authMethod }: UpstreamClient,
  send: typeof fetch,
): Promise<Response> {
  const form = new URLSearchParams(fields);
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  if (authMethod === 'client_secret_basic' && clientSecret !== null) {
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    form.set('client_id', clientId);
    if (clientSecret !== null) form.set('client_secret', clientSecret);
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return send(endpoint, {
    ...{ method: 'POST', headers, body: form.toString() },
    signal,
    redirect: 'manual',
  });
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 16_384 && /^[\x21-\x7e]+$/.test(value);
