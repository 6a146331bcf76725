import { LRUCache } from 'lru-cache';

/**
 * Keeps what was used last, `most` entries of it, and takes memory as it fills. An `LRUCache` that is given `max` makes room for
 * all of them at once: tens of thousands cost milliseconds of a start, and megabytes that most installations never use.
 */
export const grownCache = <T extends object | string | number | boolean>(
  most: number,
  options: Pick<LRUCache.Options<string, T, unknown>, 'ttl' | 'dispose'> = {},
): LRUCache<string, T> => new LRUCache<string, T>({ maxSize: most, sizeCalculation: () => 1, ...options });
