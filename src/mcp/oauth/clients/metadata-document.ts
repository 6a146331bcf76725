import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../lib/json.ts';
import { documentOf } from '../bounded-json.ts';
import { OauthProblem } from '../problem.ts';
import type { OauthClient } from './client.ts';
import { type ForeignUrls, foreignUrlProblem } from './foreign-url.ts';
import { readClientMetadata } from './metadata.ts';

/** Clients whose id is the address of their description (OAuth Client ID Metadata Documents). */
export type DescribedClients = {
  /** Whether an id is such an address. */
  isAddress(clientId: string): boolean;
  /** Throws an OauthProblem where there is no description, or a wrong one. */
  get(clientId: string): Promise<OauthClient>;
};

type Options = {
  /** Connections that judge each address. */
  send: typeof fetch;
  foreign: ForeignUrls;
  redirectSchemes: readonly string[];
  now(): number;
};

type Known = { client: OauthClient | null; until: number };

/** Milliseconds for a description to come. */
const TIMEOUT_MS = 5000;
/** Seconds that a description is kept at most, and where its server says nothing. */
const LONGEST_SECONDS = 86_400;
const USUAL_SECONDS = 300;
/** Milliseconds after which an address that had no description is asked again. */
const ABSENT_MS = 60_000;
const REMEMBERED = 1000;
/** Descriptions that are fetched at the same time. */
const AT_ONCE = 8;
const MAX_LENGTH = 2048;

const problem = (why: string) =>
  new OauthProblem('invalid_client', `The client's metadata document ${why}.`, { status: 400 });

export function createDescribedClients({ send, foreign, redirectSchemes, now }: Options): DescribedClients {
  const known = new LRUCache<string, Known>({ max: REMEMBERED });
  const fetching = new Map<string, Promise<OauthClient>>();

  /** A fault of the address itself, which needs no look at the network. */
  function requireAllowed(clientId: string): void {
    const problemOfAddress = foreignUrlProblem(clientId, foreign);
    if (problemOfAddress !== null) throw problem(problemOfAddress);
    const { pathname, href } = new URL(clientId);
    if (pathname === '/' || href !== clientId || /\/\.{1,2}(\/|$)/.test(clientId))
      throw problem('must have a plain address with a path');
  }

  async function load(clientId: string): Promise<OauthClient> {
    requireAllowed(clientId);
    if (fetching.size >= AT_ONCE)
      throw new OauthProblem('temporarily_unavailable', 'Too many clients are looked up at this moment.', {
        ...{ status: 503, retryAfter: 2 },
      });
    const { document, seconds } = await fetchDocument(clientId, send);
    if (document.client_id !== clientId) throw problem('is about another client_id');
    if ('client_secret' in document) throw problem('must not hold a client_secret');
    const described = readClientMetadata(document, redirectSchemes, 'none');
    if (described.authMethod.startsWith('client_secret'))
      throw problem('must have none or private_key_jwt as token_endpoint_auth_method');
    const client = { ...described, id: clientId, secretHash: null };
    if (seconds > 0) known.set(clientId, { client, until: now() + seconds * 1000 });
    return client;
  }

  return {
    isAddress: (clientId) =>
      clientId.length <= MAX_LENGTH && /^https?:\/\//.test(clientId) && URL.canParse(clientId),
    async get(clientId) {
      const found = known.get(clientId);
      if (found && found.until > now()) {
        if (found.client) return found.client;
        throw problem('could not be read a moment ago');
      }
      const before = fetching.get(clientId);
      if (before) return before;
      const loading = load(clientId).catch((error: unknown) => {
        if (!(error instanceof OauthProblem) || error.status < 500)
          known.set(clientId, { client: null, until: now() + ABSENT_MS });
        throw error;
      });
      fetching.set(clientId, loading);
      try {
        return await loading;
      } finally {
        fetching.delete(clientId);
      }
    },
  };
}

/** What is wrong on the way is told in the gateway's words: nobody may look into other networks through it. */
async function fetchDocument(
  url: string,
  send: typeof fetch,
): Promise<{ document: JsonObject; seconds: number }> {
  try {
    const answer = await send(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    const document = await documentOf(answer);
    if (answer.status !== 200 || document === null) throw problem('could not be read');
    return { document, seconds: keptSeconds(answer.headers.get('cache-control')) };
  } catch (error) {
    if (error instanceof OauthProblem) throw error;
    throw Object.assign(problem('could not be read'), { cause: error });
  }
}

function keptSeconds(cacheControl: string | null): number {
  if (cacheControl === null) return USUAL_SECONDS;
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? USUAL_SECONDS : Math.min(Number(seconds), LONGEST_SECONDS);
}
