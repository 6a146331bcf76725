import type { KeyRecord } from '../../directory/memory.ts';

/** Judges one kind of JWT. */
export type TokenVerifier = {
  /** `typ` of the tokens' header. */
  type: string;
  /**
   * What the token may do now; throws UNAUTHENTICATED for an invalid token. The result is a promise only when the
   * token is new. `workspace` is the id or slug in the request's `x-gateway-workspace-id`.
   */
  verify(token: string, request: { workspace: string | null }): KeyRecord | Promise<KeyRecord>;
};

/** The claims in the header of a JWT, none of them proven. */
export type TokenHeader = { type: string; keyId: string };

const form = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

export const isToken = (secret: string): boolean => form.test(secret);

/** Null when the header cannot be read. */
export function headerOfToken(token: string): TokenHeader | null {
  try {
    const json = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString();
    const { typ, kid } = JSON.parse(json) as Record<string, unknown>;
    return { type: String(typ).toLowerCase(), keyId: String(kid) };
  } catch {
    return null;
  }
}

/** Applies the next step to a value that may be a promise. */
export const whenKnown = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
