import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../errors/index.ts';
import type { HostPolicy } from '../../lib/http/custom-host.ts';
import { headerOf } from '../../lib/http/headers.ts';
import type { BaseUrl, Provider, ProviderSettings } from '../../providers/index.ts';
import { type Naming, placeOfName } from './named-provider.ts';

/** What says where a provider is. `host`: the custom host; null for none. */
type Address = { provider: Provider; host: string | null; settings: ProviderSettings };

/**
 * Where a target's API begins: at the custom host, at the provider's own address, or where the settings lead. Null for a
 * provider in this process. Throws INVALID_CUSTOM_HOST for an address that may not be called, or for none.
 */
export function baseUrlOf(
  { provider, host, settings }: Address,
  naming: Naming,
  { problem }: HostPolicy,
): BaseUrl | null {
  if (provider.respond) return null;
  if (host !== null) {
    const reason = problem(host);
    if (reason)
      throw new GatewayError('INVALID_CUSTOM_HOST', {
        message: `The custom host is not allowed: ${reason}.`,
        param: placeOfHost(naming),
      });
    return split(host);
  }
  if (typeof provider.baseUrl === 'string') return split(provider.baseUrl);
  const own = provider.baseUrl?.(settings) ?? null;
  if (own !== null) {
    const reason = problem(own);
    if (reason)
      throw new GatewayError('INVALID_CUSTOM_HOST', {
        message: `The settings of ${provider.id} lead to a host that is not allowed: ${reason}.`,
        param: placeOfName(naming),
      });
    return split(own);
  }
  const names = Object.keys(provider.settings);
  throw new GatewayError('INVALID_CUSTOM_HOST', {
    message: `The provider ${provider.id} needs a custom host${names.length > 0 ? ` or more of its settings (${names.join(', ')})` : ''}.`,
    param: placeOfHost(naming),
  });
}

// Parsing a URL costs more than the rest of choosing a target, and the same few come with every request.
const bases = new LRUCache<string, BaseUrl>({ max: 1000 });

function split(url: string): BaseUrl {
  let base = bases.get(url);
  if (!base) {
    const { origin, pathname } = new URL(url);
    base = { origin, path: pathname.replace(/\/+$/, '') };
    bases.set(url, base);
  }
  return base;
}

/** Where the request or its config names, or could name, a custom host. */
export const placeOfHost = ({ named, leaf, call }: Naming): string =>
  headerOf(call.headers, 'x-gateway-custom-host') === undefined &&
  (leaf.customHostAt || named.by === 'target')
    ? (leaf.customHostAt ?? `${leaf.path}.custom_host`)
    : 'x-gateway-custom-host';
