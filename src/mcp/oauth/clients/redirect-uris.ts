const MAX_URIS = 10;
const MAX_LENGTH = 2048;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

const isLoopback = (url: URL): boolean => url.protocol === 'http:' && LOOPBACK.has(url.hostname);

/** Whether whoever runs on the same machine could answer at this address. */
export const isLocalRedirect = (uri: string): boolean => isLoopback(new URL(uri));

/** Why no client may be answered at this address, as a sentence without its subject; null for one where it may. */
export function redirectUriProblem(uri: unknown, schemes: readonly string[]): string | null {
  if (typeof uri !== 'string' || uri === '' || uri.length > MAX_LENGTH)
    return `must be a URL of at most ${MAX_LENGTH} characters`;
  // The text goes into a header, and what browsers take away of it could make another address.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri) || !URL.canParse(uri)) return 'is no URL';
  const url = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'must not have credentials';
  if (url.protocol === 'https:' || isLoopback(url)) return null;
  if (url.protocol === 'http:') return 'must be https, or http to 127.0.0.1, [::1] or localhost';
  if (schemes.includes(url.protocol.slice(0, -1))) return null;
  return `must be https, http to the own machine, or have one of the schemes ${schemes.join(', ')}`;
}

/** Why a client may not have these addresses, with the place at fault in front; null where it may. */
export function redirectUrisProblem(uris: unknown, schemes: readonly string[]): string | null {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_URIS)
    return `redirect_uris must be a list of 1 to ${MAX_URIS} URLs.`;
  for (const [at, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri, schemes);
    if (problem !== null) return `redirect_uris[${at}] ${problem}.`;
  }
  return null;
}

/** Whether a client that has these addresses may be answered at this one: the same text, but for the port of the own machine. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  if (!URL.canParse(uri)) return false;
  const asked = new URL(uri);
  if (!isLoopback(asked)) return false;
  return registered.some((known) => {
    const url = new URL(known);
    return isLoopback(url) && withoutPort(url) === withoutPort(asked);
  });
}

const withoutPort = ({ hostname, pathname, search }: URL): string => `${hostname}${pathname}${search}`;
