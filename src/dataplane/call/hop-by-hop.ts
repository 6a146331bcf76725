/** Headers that belong to one connection and go no further (RFC 9110, section 7.6.1). */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const isHopByHop = (name: string): boolean => hopByHop.has(name);

/** Further names that a message's own `connection` header declares hop-by-hop; null for none. */
export function connectionNames(value: string | string[] | undefined): ReadonlySet<string> | null {
  if (value === undefined || value === 'keep-alive' || value === 'close') return null;
  return new Set(
    String(value)
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
}
