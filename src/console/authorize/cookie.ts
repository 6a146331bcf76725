import { isGatewayKey } from '../../storage/secrets.ts';
import { type Cookie, cookiesNamed } from '../cookie.ts';

/**
 * The cookie of somebody who lets MCP clients act for them. It is another one than that of the console, whose doors are not
 * opened by it. Lax: clients send browsers here by links, with which a Strict cookie would stay behind.
 */
export function createPersonCookie(address: string | null): Cookie {
  const { protocol, pathname } = new URL(address ?? 'http://localhost');
  const isSecure = protocol === 'https:';
  const path = pathname.replace(/\/$/, '');
  // A browser takes the name only with Secure, for this host alone, and with the whole of it as path.
  const isWholeHost = isSecure && path === '';
  const name = isWholeHost ? '__Host-sluice-mcp' : isSecure ? '__Secure-sluice-mcp' : 'sluice-mcp';
  const rules = [
    `Path=${isWholeHost ? '/' : `${path}/oauth`}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
  return {
    read: (header) => cookiesNamed(name, header).find(isGatewayKey) ?? null,
    give: (secret, seconds) => `${name}=${secret}; ${rules}; Max-Age=${seconds}`,
    take: () => `${name}=; ${rules}; Max-Age=0`,
  };
}
