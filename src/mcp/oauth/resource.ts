import { mcpPlaceOf } from '../paths.ts';
import { invalidTarget } from './problem.ts';

/** What a token is for: an MCP server by its slug, or all that the caller may use. */
export type ProtectedResource = {
  /** As it stands in tokens. */
  url: string;
  /** Null for the aggregate and for the gateway as a whole. */
  server: { slug: string; workspace: string | null } | null;
};

const MAX_LENGTH = 2048;

/** The URL of the gateway as clients write it; what they leave out or add of its form counts for nothing. */
function canonical(text: string): string | null {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (
    url.search !== '' ||
    url.hash !== '' ||
    text.includes('#') ||
    url.username !== '' ||
    url.password !== ''
  )
    return null;
  return url.href.replace(/\/+$/, '');
}

/**
 * The resource that a client names, below `base`, which stands in its place where none is named. Whether such a server
 * exists is another question. Throws an OauthProblem for what is no address of this gateway.
 */
export function readResource(text: string | undefined, base: string): ProtectedResource {
  const whole = canonical(base) ?? base;
  if (text === undefined) return { url: whole, server: null };
  const url = canonical(text);
  if (url === null) throw invalidTarget();
  if (url === whole) return { url: whole, server: null };
  if (!url.startsWith(`${whole}/`)) throw invalidTarget();
  const found = resourceAt(url.slice(whole.length));
  if (!found) throw invalidTarget();
  return { url, ...found };
}

/** What a path below the base stands for, such as `/search/mcp`; null where there is no MCP endpoint. */
export function resourceAt(path: string): Pick<ProtectedResource, 'server'> | null {
  const place = mcpPlaceOf(path);
  if (place?.kind === 'aggregate') return { server: null };
  if (place?.kind !== 'server') return null;
  return { server: { slug: place.slug, workspace: place.workspace } };
}
