import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isMetadataAddress, isPrivateAddress } from './addresses.ts';

// Rules for hosts that a caller names (spec/data-plane.md, section 9.5): syntax and hosts that are never allowed here;
// what is private and not trusted in `createHostPolicy`; the resolved address once more when the connection is made.

const MAX_LENGTH = 2048;

const blockedNames =
  /^(metadata|instance-data|kubernetes)$|(^|\.)(metadata\.google\.internal|metadata\.azure\.internal|cluster\.local|consul)$/;
const rebindingHelpers =
  /(^|\.)(nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|traefik\.me|localhost\.run)$/;
const privateSuffixes =
  /(^|\.)(local|localdomain|internal|intranet|lan|home|corp|test|invalid|onion|localhost)$/;
const nonHttpPorts = new Set([
  '0',
  '21',
  '22',
  '23',
  '25',
  '53',
  '110',
  '143',
  '389',
  '445',
  '465',
  '587',
  '636',
  '993',
  '995',
  '1433',
  '1521',
  '2049',
  '2375',
  '2379',
  '2380',
  '3306',
  '3389',
  '5432',
  '5672',
  '5900',
  '6379',
  '6443',
  '9042',
  '9092',
  '9200',
  '9300',
  '10250',
  '11211',
  '27017',
]);

/** Why a custom host can never be used, or null. Takes the URL as the caller wrote it. */
export function customHostProblem(value: string): string | null {
  if (value.length > MAX_LENGTH) return `a custom host has at most ${MAX_LENGTH} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
  if (/[\u0000-\u0020\u007f\\]/.test(value))
    return 'a custom host has no spaces, backslashes or control characters';
  const written = /^https?:\/\/([^/?#]*)/i.exec(value)?.[1];
  if (!written) return 'a custom host is an absolute http or https URL';
  if (written.includes('@')) return 'a custom host carries no credentials';
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return 'a custom host is an absolute http or https URL';
  }
  return (
    hostnameProblem(hostnameOf(url), written) ??
    (nonHttpPorts.has(url.port) ? `port ${url.port} is not an HTTP port` : null)
  );
}

/** Host name or address without the brackets of IPv6. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').toLowerCase();

function hostnameProblem(host: string, written: string): string | null {
  const asWritten = written
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  if (isIP(host)) {
    // The URL parser accepts 0x7f.1, 017700000001 and 2130706433; only the plain spelling is allowed.
    if (isIP(asWritten) === 0) return 'an address must be written in its plain form';
    return isMetadataAddress(host) ? 'metadata addresses are not allowed' : null;
  }
  if (!/^[a-z0-9.-]+$/.test(asWritten)) return 'a host name consists of a-z, 0-9, dots and hyphens';
  if (host.endsWith('.') || host.split('.').length > 10 || host.includes('xn--'))
    return 'the host name is not allowed';
  if (blockedNames.test(host) || rebindingHelpers.test(host)) return 'the host name is not allowed';
  return null;
}

export type HostPolicy = {
  /** Why this URL may not be called, or null. */
  problem(url: string): string | null;
  /** Why a connection to this resolved address of `hostname` may not be made, or null. */
  addressProblem(hostname: string, address: string): string | null;
};

/** `trusted`: exact hosts, `*.domain` (apex and subdomains) or exact addresses that may be private. */
export function createHostPolicy(trusted: readonly string[]): HostPolicy {
  const isTrusted = (host: string) =>
    trusted.some((rule) =>
      rule.startsWith('*.') ? host === rule.slice(2) || host.endsWith(rule.slice(1)) : host === rule,
    );
  const judge = (value: string): string | null => {
    const syntax = customHostProblem(value);
    if (syntax) return syntax;
    const host = hostnameOf(new URL(value));
    if (isTrusted(host)) return null;
    if (isIP(host) ? isPrivateAddress(host) : privateSuffixes.test(host) || !host.includes('.')) {
      return `${host} is a private host; add it to TRUSTED_HOSTS to allow it`;
    }
    return null;
  };
  // The same few hosts come with every request; the verdict on a text never changes.
  const verdicts = new LRUCache<string, { problem: string | null }>({ max: 1000 });
  return {
    problem(value) {
      if (value.length > MAX_LENGTH) return judge(value);
      let verdict = verdicts.get(value);
      if (!verdict) {
        verdict = { problem: judge(value) };
        verdicts.set(value, verdict);
      }
      return verdict.problem;
    },
    addressProblem(hostname, address) {
      if (isMetadataAddress(address)) return `${hostname} resolves to a metadata address`;
      if (isPrivateAddress(address) && !isTrusted(hostname.toLowerCase()) && !isTrusted(address)) {
        return `${hostname} resolves to a private address`;
      }
      return null;
    },
  };
}
