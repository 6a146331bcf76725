import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';

/** Anthropic's `cache_control` on a part of a request, in the words of the providers that cache where they are told to. */
export function cacheOptions(mark: unknown): SharedV4ProviderOptions | undefined {
  if (!isObject(mark) || mark.type !== 'ephemeral') return undefined;
  const ttl = mark.ttl === '5m' || mark.ttl === '1h' ? { ttl: mark.ttl } : {};
  return {
    anthropic: { cacheControl: { type: 'ephemeral', ...ttl } },
    amazonBedrock: { cachePoint: { type: 'default', ...ttl } },
  };
}
