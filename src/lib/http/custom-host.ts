import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isMetadataAddress, isPrivateAddress } from './addresses.ts';

// A host that a caller names is checked three times: here for its syntax and against hosts that are never allowed, in
// `createHostPolicy` for private hosts that nobody has declared trusted, and by its address when the connection is made.

const MAX_LENGTH = 2048;
/** What stands between the dots of a host name (RFC 1123, section 2.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

// Services that tell a machine its credentials, and names inside clusters (also without the end that completes them).
const blockedNames = new RegExp(
  `^(metadata|instance-data|kubernetes)$|(^|\\.)(${[
    'metadata.google.internal',
    'metadata.goog',
    'metadata.azure.internal',
    'metadata.azure.com',
    'metadata.tencentyun.com',
    'metadata.packet.net',
    'metadata.platformequinix.com',
    'instance-data.ec2.internal',
    'rancher-metadata',
    'kubernetes.default',
    'svc',
    'cluster.local',
    'consul',
  ]
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})$`,
);
const rebindingHelpers =
  /(^|\.)(nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|traefik\.me|localhost\.run)$/;
const privateSuffixes =
  /(^|\.)(local|localdomain|internal|intranet|lan|home|corp|test|invalid|onion|localhost)$/;

// Mail, shells, files, directories, databases, queues, and the control of containers and clusters.
const nonHttpPorts: ReadonlySet<string> = new Set(
  `0 21 22 23 25 43 53 69 110 111 119 123 135 137 138 139 143 161 162 179 389 427
  445 465 512 513 514 515 540 548 554 587 636 873 989 990 993 995 1433 1434 1521 1723 2049 2181 2375 2376 2379 2380
  3268 3269 3306 3389 4369 5432 5433 5671 5672 5900 5901 6379 6380 6443 6666 6667 7199 9042
  9092 9160 9200 9300 10250 10255 10257 10259 11211 25672 26379 27017 27018 27019 28015 61616`.split(/\s+/),
);

/** Why a custom host can never be used, or null. Takes the URL as the caller wrote it. */
export function customHostProblem(value: string): string | null {
  if (value.length > MAX_LENGTH) return `a custom host has at most ${MAX_LENGTH} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
  if (/[\u0000-\u0020\u007f-\u009f\\]/.test(value))
    return 'a custom host has no spaces, backslashes or control characters';
  const written = /^https?:\/\/([^/?#]*)/i.exec(value)?.[1];
  if (!written) return 'a custom host is an absolute http or https URL';
  if (value.includes('@')) return 'a custom host has no @, and carries no credentials';
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
  const labels = host.split('.');
  if (labels.length > 10 || !labels.every((label) => LABEL.test(label)) || host.includes('xn--'))
    return 'the host name is not allowed';
  if (blockedNames.test(host) || rebindingHelpers.test(host)) return 'the host name is not allowed';
  return null;
}

export const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

/** `host:port` of a listener under all the names by which this machine reaches it, and of the public address, if any. */
export function ownHosts(listen: { host: string; port: number }, publicUrl: string | null): string[] {
  const listener = ['localhost', '127.0.0.1', '::1', listen.host].map((host) => `${host}:${listen.port}`);
  if (publicUrl === null) return listener;
  const url = new URL(publicUrl);
  return [...listener, `${hostnameOf(url)}:${portOf(url)}`];
}

export type HostPolicy = {
  /** Why this URL may not be called, or null. */
  problem(url: string): string | null;
  /** Why a connection to this resolved address of `hostname` may not be made, or null. */
  addressProblem(hostname: string, address: string): string | null;
};

/**
 * `trusted`: exact hosts, `*.domain` (apex and subdomains) or exact addresses that may be private. `own`: where the gateway
 * itself answers, as `host:port`; a call to it would go round in a circle.
 */
export function createHostPolicy(trusted: readonly string[], own: readonly string[] = []): HostPolicy {
  const isTrusted = (host: string) =>
    trusted.some((rule) =>
      rule.startsWith('*.') ? host === rule.slice(2) || host.endsWith(rule.slice(1)) : host === rule,
    );
  const judge = (value: string): string | null => {
    const syntax = customHostProblem(value);
    if (syntax) return syntax;
    const url = new URL(value);
    const host = hostnameOf(url);
    if (own.includes(`${host}:${portOf(url)}`)) return `${host} is the gateway itself`;
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
