import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';

/** The name by which a request asks for the gateway itself where it could mean a provider. */
const OWN = 'gateway';

/**
 * Whether the headers of a request name a provider, by itself or by a config. A request that names the gateway itself is
 * for the gateway; its config then says where the model calls go that the gateway makes for it.
 */
export function isForProvider(headers: IncomingHttpHeaders): boolean {
  const named = headerOf(headers, 'x-gateway-provider')?.trim();
  if (named) return named.toLowerCase() !== OWN;
  return Boolean(
    headerOf(headers, 'x-gateway-virtual-key')?.trim() || headerOf(headers, 'x-gateway-config')?.trim(),
  );
}
