import type { BaseUrl, DialectRequest, Provider, ProviderHeaders } from '../../provider.ts';
import { bounded } from './bounded.ts';

/** What the library takes for a key. The provider's own code puts the real one in its place when a request goes out. */
export const PLACEHOLDER = 'set-by-the-gateway';

export type SignedFetch = {
  fetch: typeof fetch;
  /** Whether anything went to the provider. */
  wasSent: () => boolean;
};

/**
 * A fetch for the library, and the only way out that it has: to the provider's own origins alone, through the gateway's
 * connections, with the provider's authentication and an answer of bounded size.
 */
export function signedFetch(
  request: DialectRequest,
  authorize: Provider['authorize'],
  origins: readonly string[],
): SignedFetch {
  let sent = false;
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!origins.includes(url.origin)) throw new Error(`${url.origin} is not the provider.`);
    const unsigned = {
      method: init.method ?? 'GET',
      origin: url.origin,
      path: url.pathname + url.search,
      // Compressed streams come in larger pieces, later.
      headers: { ...withoutPlaceholder(new Headers(init.headers)), 'accept-encoding': 'identity' },
      body: typeof init.body === 'string' ? Buffer.from(init.body) : null,
    };
    const pending = authorize(unsigned, request.credential, request.fetch);
    if (pending) await pending;
    sent = true;
    const answer = await request.ask(unsigned.origin + unsigned.path, {
      method: unsigned.method,
      headers: flat(unsigned.headers),
      body: unsigned.body,
      signal: init.signal ?? request.signal,
    });
    return bounded(answer);
  };
  return { fetch: send as typeof fetch, wasSent: () => sent };
}

function withoutPlaceholder(headers: Headers): ProviderHeaders {
  return Object.fromEntries([...headers].filter(([, value]) => !value.includes(PLACEHOLDER)));
}

const flat = (headers: ProviderHeaders): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]);

/** Headers that the request or the integration adds, for the library to send. */
export function addedHeaders(headers: ProviderHeaders): Record<string, string> {
  return Object.fromEntries(flat(headers).filter(([name]) => !/^content-(type|length)$/.test(name)));
}

export const urlOf = ({ origin, path }: BaseUrl): string => origin + path;
