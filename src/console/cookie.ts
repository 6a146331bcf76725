import { isGatewayKey } from '../storage/secrets.ts';

/** The cookie that holds the secret of a sign-in: no script reads it, no other site sends it. */
export type Cookie = {
  /** The secret that a request brings; null without one of the right form. */
  read(header: string | undefined): string | null;
  /** The value of `set-cookie` that gives a browser the secret for some seconds. */
  give(secret: string, seconds: number): string;
  /** The value of `set-cookie` that takes it away. */
  take(): string;
};

/** `publicUrl`: where callers reach this installation; with https the cookie never travels without TLS. */
export function createCookie(publicUrl: string | null): Cookie {
  const { name, rules } = cookieRules(publicUrl, { name: 'sluice', path: '', sameSite: 'Strict' });
  return {
    read: (header) => cookiesNamed(name, header).find(isGatewayKey) ?? null,
    give: (secret, seconds) => `${name}=${secret}; ${rules}; Max-Age=${seconds}`,
    take: () => `${name}=; ${rules}; Max-Age=0`,
  };
}

type Wanted = {
  name: string;
  /** Below `/console`. */
  path: string;
  sameSite: 'Strict' | 'Lax';
};

/** Name and attributes of a cookie of the console; `publicUrl` may have a path. */
export function cookieRules(publicUrl: string | null, { name, path, sameSite }: Wanted) {
  const { pathname, protocol } = new URL(publicUrl ?? 'http://localhost');
  const isSecure = protocol === 'https:';
  const rules = [
    `Path=${pathname.replace(/\/$/, '')}/console${path}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure ? ['Secure'] : []),
  ];
  return { name: isSecure ? `__Secure-${name}` : name, rules: rules.join('; ') };
}

/** The values of all cookies with a name, in the order in which they came. */
export const cookiesNamed = (name: string, header = ''): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
