import { type HostPolicy, hostnameOf } from '../../../lib/http/custom-host.ts';

/** Which addresses of clients the gateway asks, although nobody has signed in who names them. */
export type ForeignUrls = {
  hostPolicy: Pick<HostPolicy, 'problem' | 'addressProblem'>;
  /** Hosts whose clients are taken, private ones among them; null for every public one. */
  hosts: readonly string[] | null;
};

/** A private address that nobody has: whoever may have it is trusted with private addresses. */
const PRIVATE = 'fd5e:11ce:5bd1:e0c4::1';

/**
 * Why the gateway does not ask this address of a client, as a sentence without its subject; null where it may. That an
 * operator trusts a host with calls of their own does not open it to everybody.
 */
export function foreignUrlProblem(text: string, { hostPolicy, hosts }: ForeignUrls): string | null {
  const url = new URL(text);
  const isNamed = hosts !== null && (hosts.includes(url.host) || hosts.includes(hostnameOf(url)));
  if (hosts !== null && !isNamed) return 'is not of a host whose clients are taken here';
  if (url.username !== '' || url.password !== '' || text.includes('#'))
    return 'must have an address without fragment and credentials';
  if (url.protocol !== 'https:' && !isNamed) return 'must have an https address';
  const isPrivate = hostPolicy.addressProblem(hostnameOf(url), PRIVATE) === null;
  if (hostPolicy.problem(text) !== null || (isPrivate && !isNamed))
    return 'has an address that is not allowed';
  return null;
}
