import type { HostPolicy } from '../../lib/http/custom-host.ts';

/** The address of the MCP server that is built in. */
export const MOCK_URL = 'mock://server';

/** Why no integration may have this address, or null. */
export function upstreamUrlProblem(url: string, policy: Pick<HostPolicy, 'problem'>): string | null {
  if (url === MOCK_URL) return null;
  if (!/^https?:\/\//i.test(url)) return `it is neither http nor https, nor ${MOCK_URL}`;
  if (url.includes('#')) return 'it has a fragment';
  return policy.problem(url)?.replace('a custom host', 'an address') ?? null;
}

/**
 * Connections to upstreams, to which every address is judged before a request goes there: the connections themselves judge
 * what names lead to, and nobody looks up what is an address already.
 */
export const judging =
  (send: typeof fetch, policy: Pick<HostPolicy, 'problem'>): typeof fetch =>
  async (url, init) => {
    const problem = policy.problem(String(url));
    if (problem !== null) throw Object.assign(new Error(problem), { code: 'ERR_ADDRESS_REFUSED' });
    return send(url, init);
  };
