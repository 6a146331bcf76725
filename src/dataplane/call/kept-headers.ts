import type { IncomingHttpHeaders } from 'node:http';

/** Headers of the gateway that are about one request, and not about the calls that are made on its behalf. */
const ofRequest = new Set([
  'x-gateway-provider',
  'x-gateway-virtual-key',
  'x-gateway-trace-id',
  'x-gateway-span-id',
  'x-gateway-parent-span-id',
  'x-gateway-span-name',
]);

const isKept = (name: string): boolean =>
  (name.startsWith('x-gateway-') && !ofRequest.has(name)) ||
  ['authorization', 'x-api-key', 'baggage', 'user-agent'].includes(name);

/** The headers of a request that go with calls which are made later on its behalf, its credential included. */
export const keptHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
