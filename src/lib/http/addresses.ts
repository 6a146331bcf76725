import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

const listOf = (ranges: string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits ?? (isIPv4(address) ? 32 : 128)), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
};

// Cloud metadata services give a machine its credentials: no setting makes them reachable.
const metadata = listOf([
  '169.254.169.0/24',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/96',
]);

const notPublic = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Unspecified, loopback and the forms that carry an IPv4 address: compatible, translated, NAT64.
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

const contains = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** An IPv6 address in its one canonical spelling, anything else as it is. */
function canonical(address: string): string {
  if (isIP(address) !== 6) return address;
  return new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1);
}

// `::ffff:a00:1` is IPv4 on the wire; the other forms reach it through a translator.
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const embedded = /^(?:::|::ffff:|::ffff:0:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
// 6to4: the router of the address that stands in front.
const relayed = /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/;

/** The IPv4 address inside an IPv6 one of this form, else the address itself. */
function unwrap(address: string, form: RegExp): string {
  const match = form.exec(address);
  if (!match) return address;
  const [high, low] = [Number.parseInt(match[1] ?? '', 16), Number.parseInt(match[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

export const isMetadataAddress = (address: string): boolean =>
  contains(metadata, unwrap(unwrap(canonical(address), embedded), relayed));

/**
 * True for loopback, private, link-local, multicast and other addresses that are not on the public internet, and for every
 * IPv6 one that carries an IPv4 address.
 */
export function isPrivateAddress(address: string): boolean {
  const plain = canonical(address);
  return mapped.test(plain) || contains(notPublic, plain);
}

/** An address, or a network as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Whether an address, in whatever form sockets and headers show it, is in one of the networks. */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = listOf([...networks]);
  return (address) => {
    const plain = plainAddress(address);
    return isIP(plain) !== 0 && contains(list, plain);
  };
}

/** An IPv4 address in the form of IPv6, as listeners for both show it, is IPv4. */
export const plainAddress = (address: string): string => unwrap(canonical(address), mapped);

const loopback = listOf(['127.0.0.0/8', '::1/128']);

/** True for an address of this machine alone, also in the form in which IPv6 sockets show IPv4 ones. */
export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  return isIP(plain) !== 0 && contains(loopback, plain);
}

/** A name or an address by which only this machine reaches itself. */
export const isLoopbackHost = (host: string): boolean =>
  isIP(host) ? isLoopbackAddress(host) : /^(.+\.)?localhost$/i.test(host);

/** Connections to these end at this machine, as those to loopback do (Linux). */
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether a connection to this address ends at this machine: loopback, or an address of one of its interfaces. */
export function isOwnAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (unspecified.has(plain) || isLoopbackAddress(plain)) return true;
  // Read anew each time: interfaces come and go, and this is asked about a gateway's own ports alone.
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((own) => canonical(own.address) === plain),
  );
}

/** What one client has to itself: an IPv4 address, or the /64 of an IPv6 one, e.g. `2001:db8:0:7::/64`. */
export function clientNetwork(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = [], tail = []] = plain.split('::').map((groups) => groups.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
