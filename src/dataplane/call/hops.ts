import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/index.ts';

/** How many gateways a request has come through; sent only to addresses that are not a provider's own fixed one. */
export const HOPS_HEADER = 'x-gateway-hops';

/** A gateway before a gateway has its uses; a request that came through more of them goes round in a circle. */
const MAX_HOPS = 3;

/** Gateways that a request came through before this one. Throws LOOP_DETECTED for one that seems to have no end. */
export function hopsOf(headers: IncomingHttpHeaders): number {
  const text = headers[HOPS_HEADER];
  if (text === undefined) return 0;
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `${HOPS_HEADER} is a whole number that gateways count up; leave it out.`,
      param: HOPS_HEADER,
    });
  }
  const hops = Number(text);
  if (hops <= MAX_HOPS) return hops;
  throw new GatewayError('LOOP_DETECTED', { param: HOPS_HEADER });
}

/** The same `fetch` for a request that came through so many gateways, this one included. */
export const withHops = (send: typeof fetch, hops: number): typeof fetch =>
  ((input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(HOPS_HEADER, String(hops));
    return send(input, { ...init, headers });
  }) as typeof fetch;
