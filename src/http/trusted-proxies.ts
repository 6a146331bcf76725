import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { createNetworks, plainAddress } from '../lib/http/addresses.ts';
import { type RequestOrigin, rememberClient } from '../lib/http/client-address.ts';
import { headerOf } from '../lib/http/headers.ts';
import type { Listener } from './listener.ts';

/** Headers in which proxies of the large clouds say where a client is. */
const countryHeaders = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-appengine-country',
  'x-vercel-ip-country',
];
/** What such a proxy says where it does not know. */
const noCountry = new Set(['T1', 'XX', 'ZZ']);

/** Addresses of one header that are looked at, from its end: those before them were written by anybody. */
const MAX_HOPS = 32;

export type ProxyTrust = {
  /** Notes whom a request is from, where it came through a trusted proxy. */
  adopt(request: IncomingMessage): void;
  /** Wraps a listener, so that it knows the clients of its requests. */
  around(listener: Listener): Listener;
};

/**
 * Finds the clients behind proxies. `X-Forwarded-For` is read from its end: each trusted proxy vouches for the address
 * before its own, and the first one that is no trusted proxy is the client. What clients wrote stands before that.
 */
export function createProxyTrust(proxies: readonly string[]): ProxyTrust {
  if (proxies.length === 0) return { adopt: () => undefined, around: (listener) => listener };
  const isTrusted = createNetworks(proxies);

  function clientOf({ headers, socket }: IncomingMessage): RequestOrigin | null {
    const peer = socket.remoteAddress ?? '';
    if (!isTrusted(peer)) return null;
    let address = plainAddress(peer);
    for (const hop of hopsOf(headerOf(headers, 'x-forwarded-for') ?? '')) {
      if (!isTrusted(address)) break;
      const next = withoutPort(hop.trim());
      // Beyond what is no address nothing can be told.
      if (isIP(next) === 0) break;
      address = plainAddress(next);
    }
    return { address, country: countryOf(headers) };
  }

  function adopt(request: IncomingMessage): void {
    const client = clientOf(request);
    if (client) rememberClient(request, client);
  }

  return {
    adopt,
    around: (listener) => (request, response) => {
      adopt(request);
      return listener(request, response);
    },
  };
}

/** The nearest first. */
const hopsOf = (header: string): string[] => header.split(',').slice(-MAX_HOPS).reverse();

/** `192.0.2.1:443` and `[2001:db8::1]:443`, as some proxies write it. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(hop)?.[1] ?? hop;

function countryOf(headers: IncomingMessage['headers']): string | null {
  for (const name of countryHeaders) {
    const country = headerOf(headers, name)?.trim().toUpperCase() ?? '';
    if (/^[A-Z]{2}$/.test(country) && !noCountry.has(country)) return country;
  }
  return null;
}
