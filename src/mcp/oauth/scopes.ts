import { OauthProblem } from './problem.ts';

/** What a token may be for: `mcp` is everything, `mcp:read` all but calls of tools, `mcp:write` both. */
export const mcpScopes = ['mcp', 'mcp:read', 'mcp:write'] as const;
export type McpScope = (typeof mcpScopes)[number];

/** Names that other gateways have for the same. */
const aliases: Readonly<Record<string, McpScope>> = {
  'mcp:*': 'mcp',
  'mcp:tools': 'mcp:write',
  'mcp:tools:list': 'mcp:read',
  'mcp:tools:call': 'mcp:write',
};

const known = (name: string): McpScope | undefined =>
  mcpScopes.find((scope) => scope === name) ?? (Object.hasOwn(aliases, name) ? aliases[name] : undefined);

/**
 * The scopes that a client asks for; all where it names none. Clients also ask for what is usual elsewhere, such as
 * `offline_access`: unknown names count for nothing. Throws an OauthProblem where no name is known.
 */
export function readScopes(text: string | undefined): McpScope[] {
  const names = (text ?? '').split(' ').filter((name) => name !== '');
  if (names.length === 0) return ['mcp'];
  const found = [...new Set(names.flatMap((name) => known(name) ?? []))];
  if (found.length === 0)
    throw new OauthProblem('invalid_scope', `scope must name one of ${mcpScopes.join(', ')}.`);
  return found;
}

/** What may be done with scopes. */
export type ScopeReach = { mayRead: boolean; mayCall: boolean };

export function reachOf(scopes: readonly string[]): ScopeReach {
  const mayCall = scopes.includes('mcp') || scopes.includes('mcp:write');
  return { mayRead: mayCall || scopes.includes('mcp:read'), mayCall };
}

/** Scopes of a part of a grant. Throws an OauthProblem for more than the grant has. */
export function narrowed(granted: readonly McpScope[], text: string | undefined): readonly McpScope[] {
  if (text === undefined) return granted;
  const asked = readScopes(text);
  const has = reachOf(granted);
  const wants = reachOf(asked);
  if ((wants.mayCall && !has.mayCall) || (wants.mayRead && !has.mayRead))
    throw new OauthProblem('invalid_scope', 'scope must not be wider than what was granted.');
  return asked;
}
