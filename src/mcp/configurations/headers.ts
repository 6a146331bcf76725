/** The name of a header, as HTTP writes it. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** One line of text, as HTTP takes it for a value. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;

const ofConnection =
  /^(host|content-length|content-type|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;
const ofRelay = /^(accept|last-event-id|origin|mcp-.*)$/i;
const ofCaller =
  /^(cookie|set-cookie|authorization|x-api-key|api-key|apikey|x-auth-token|x-access-token|x-user-claims|x-user-jwt|forwarded|x-forwarded-.*|x-gateway-.*)$/i;

/** A name as servers read it: many of them take an underscore for a hyphen. */
export const readName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Headers that the connection or the relay of messages sets itself: nobody writes them for an upstream. */
export function isOwnHeader(name: string): boolean {
  const read = readName(name);
  return ofConnection.test(read) || ofRelay.test(read);
}

/** Headers of a caller that no setting takes to an upstream, under their own name or another. */
export const isProtectedHeader = (name: string): boolean =>
  isOwnHeader(name) || ofCaller.test(readName(name));
