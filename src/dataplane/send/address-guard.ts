import { lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { GatewayError } from '../../errors/index.ts';
import { isOwnAddress } from '../../lib/http/addresses.ts';
import { type HostPolicy, portOf } from '../../lib/http/custom-host.ts';

export type Guard = {
  /** How names are resolved for a connection to this port. Throws INVALID_CUSTOM_HOST for an address that leads back here. */
  lookupAt(hostname: string, port: number): LookupFunction;
};

/**
 * Judges each address when a connection is made to it, whatever name led there. `ownPorts`: where this process listens. The
 * gateway never calls itself there, trusted or not: one such call could make the next one, without end.
 */
export function createGuard(policy: HostPolicy, ownPorts: ReadonlySet<number>): Guard {
  const elsewhere = guardedLookup((hostname, address) => refusedAddress(policy, hostname, address));
  const atOwnPort = guardedLookup(
    (hostname, address) =>
      (isOwnAddress(address) ? leadsBack(hostname) : null) ?? refusedAddress(policy, hostname, address),
  );
  return {
    lookupAt(hostname, port) {
      const isOwnPort = ownPorts.has(port);
      // An address is connected to without being looked up.
      const address = hostname.replace(/^\[|\]$/g, '');
      if (isIP(address)) {
        if (isOwnPort && isOwnAddress(address)) throw leadsBack(hostname);
        const problem = refusedAddress(policy, hostname, address);
        if (problem) throw problem;
      }
      return isOwnPort ? atOwnPort : elsewhere;
    },
  };
}

/** Connections whose names a guard resolves. `build` makes a connector with a lookup; each is made once. */
export function guardedConnector(
  { lookupAt }: Guard,
  build: (lookup: LookupFunction) => buildConnector.connector,
): buildConnector.connector {
  const connectors = new Map<LookupFunction, buildConnector.connector>();
  return (options, callback) => {
    let lookup: LookupFunction;
    try {
      lookup = lookupAt(options.hostname, portOf(options));
    } catch (error) {
      process.nextTick(callback, error as Error, null);
      return;
    }
    let connect = connectors.get(lookup);
    if (!connect) {
      connect = build(lookup);
      connectors.set(lookup, connect);
    }
    connect(options, callback);
  };
}

type Refused = (hostname: string, address: string) => Error | null;

/** Resolves a name and refuses it when any address that it could connect to is refused. */
const guardedLookup =
  (refused: Refused): LookupFunction =>
  (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      for (const { address } of addresses) {
        const problem = refused(hostname, address);
        if (problem) return callback(problem, []);
      }
      const [first] = addresses;
      if (options.all || !first) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

function refusedAddress(policy: HostPolicy, hostname: string, address: string): Error | null {
  const problem = policy.addressProblem(hostname, address);
  return problem === null ? null : Object.assign(new Error(problem), { code: 'ERR_ADDRESS_REFUSED' });
}

const leadsBack = (hostname: string) =>
  new GatewayError('INVALID_CUSTOM_HOST', {
    message: `The custom host is not allowed: ${hostname} leads back to the gateway itself.`,
  });
