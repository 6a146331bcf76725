import { LRUCache } from 'lru-cache';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import { problemOf, UpstreamProblem } from '../upstream/index.ts';

type Oauth = NonNullable<McpConfigurations['oauth_metadata']>;

/** Whose token it is: an integration, by what decides of its token. */
export type TokenAsker = { id: string; url: string; oauth: Oauth };

/** `onRenewal`: told when no token is kept, so that one is fetched. */
export type TokenAsking = { signal: AbortSignal; onRenewal?: (() => void) | undefined };

export type ClientTokens = {
  /** The access token that all callers share. Rejects with an UpstreamProblem. */
  get(asker: TokenAsker, asking: TokenAsking): Promise<string>;
  /** Forgets a token that a server has refused. */
  forget(asker: TokenAsker): void;
};

type Kept = { token: string; until: number };

/** Milliseconds before its end from which a token is not used any more. */
const EARLY_MS = 60_000;
/** Milliseconds that a token is kept whose end nobody has said. */
const UNKNOWN_LIFE_MS = 300_000;
const MAX_DOCUMENT = 64 * 1024;

/** Tokens of the client credentials grant, one fetch at a time for each integration. */
export function createClientTokens(send: typeof fetch, now: () => number): ClientTokens {
  const kept = new LRUCache<string, Kept>({ max: 1000 });
  const asking = new Map<string, Promise<string>>();
  const keyOf = ({ id, url, oauth }: TokenAsker) =>
    JSON.stringify([
      id,
      url,
      oauth.client_id,
      oauth.client_secret,
      oauth.scope,
      oauth.issuer,
      oauth.token_endpoint,
    ]);

  async function fetchToken(key: string, asker: TokenAsker, signal: AbortSignal): Promise<string> {
    const endpoint = asker.oauth.token_endpoint ?? (await tokenEndpoint(asker, send, signal));
    const { token, seconds } = await requestToken(endpoint, asker, send, signal);
    const life = seconds === null ? UNKNOWN_LIFE_MS : seconds * 1000 - EARLY_MS;
    if (life > 0) kept.set(key, { token, until: now() + life });
    return token;
  }

  return {
    async get(asker, { signal, onRenewal }) {
      const key = keyOf(asker);
      const known = kept.get(key);
      if (known && known.until > now()) return known.token;
      onRenewal?.();
      const before = asking.get(key);
      if (before) return before;
      const fetching = fetchToken(key, asker, signal)
        .catch((error: unknown) => Promise.reject(problemOf(error)))
        .finally(() => asking.delete(key));
      asking.set(key, fetching);
      return fetching;
    },
    forget: (asker) => void kept.delete(keyOf(asker)),
  };
}

const credentialProblem = (reason: string, status?: number) =>
  new UpstreamProblem('credential', `no access token: ${reason}`, status === undefined ? {} : { status });

async function requestToken(
  endpoint: string,
  { url, oauth }: TokenAsker,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<{ token: string; seconds: number | null }> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', resource: url });
  if (oauth.scope) form.set('scope', oauth.scope);
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  const [id, secret] = [oauth.client_id ?? '', oauth.client_secret ?? ''];
  if (oauth.token_endpoint_auth_method === 'client_secret_post') {
    form.set('client_id', id);
    form.set('client_secret', secret);
  } else headers.authorization = basic(id, secret);
  const answer = await send(endpoint, {
    ...{ method: 'POST', headers, body: form.toString(), signal },
    redirect: 'manual',
  });
  const { status } = answer;
  const body = await documentOf(answer);
  if (status !== 200) throw credentialProblem(`the token endpoint answered HTTP ${status}`, status);
  const { access_token: token, expires_in: seconds, token_type: type } = body ?? {};
  const isBearer = type === undefined || (typeof type === 'string' && type.toLowerCase() === 'bearer');
  if (typeof token !== 'string' || token === '' || /[^\x21-\x7e]/.test(token) || !isBearer)
    throw credentialProblem('the token endpoint answered no bearer token', status);
  return { token, seconds: typeof seconds === 'number' && seconds > 0 ? seconds : null };
}

/** RFC 6749, section 2.3.1: both are encoded as in forms first. */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

/** The token endpoint of the issuer that the settings name, else of the one that the server's own metadata names. */
async function tokenEndpoint(
  { url, oauth }: TokenAsker,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<string> {
  const issuer = oauth.issuer ?? (await issuerOf(url, send, signal));
  for (const place of metadataPlaces(issuer)) {
    const found = await readDocument(place, send, signal);
    if (found === null) continue;
    if (found.issuer !== issuer) throw credentialProblem('the metadata of the issuer names another issuer');
    if (typeof found.token_endpoint === 'string' && URL.canParse(found.token_endpoint))
      return found.token_endpoint;
  }
  throw credentialProblem('the issuer publishes no token endpoint');
}

async function issuerOf(url: string, send: typeof fetch, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(url);
  for (const path of new Set([pathname === '/' ? '' : pathname, ''])) {
    const found = await readDocument(`${origin}/.well-known/oauth-protected-resource${path}`, send, signal);
    if (found === null) continue;
    if (found.resource !== url && found.resource !== origin)
      throw credentialProblem('the metadata of the server is about another resource');
    const [issuer] = Array.isArray(found.authorization_servers) ? found.authorization_servers : [];
    if (typeof issuer === 'string' && URL.canParse(issuer)) return issuer;
  }
  throw credentialProblem('the server names no authorization server');
}

/** Where an issuer may publish its metadata: RFC 8414, and OpenID Connect in both of its forms. */
function metadataPlaces(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

async function readDocument(
  url: string,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<JsonObject | null> {
  const answer = await send(url, { headers: { accept: 'application/json' }, signal, redirect: 'manual' });
  const body = await documentOf(answer);
  return answer.status === 200 ? body : null;
}

/** The JSON object of an answer; null for anything else, and for one that is too large. */
async function documentOf(answer: Response): Promise<JsonObject | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_DOCUMENT) return null;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
