import type { IncomingHttpHeaders } from 'node:http';
import { isProtectedHeader, readName } from '../configurations/headers.ts';
import { identityHeader } from '../configurations/identity-header.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { RpcFailure } from '../exchange/failure.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

/** How the gateway proves itself to the server behind an MCP server, in the name of a caller. */
export type UpstreamCredentials = {
  /** Waits only for what is not in memory; `onRenewal` is told when that is a token which has to be got anew. Throws an UpstreamProblem, or an RpcFailure that the caller gets to see. */
  headersFor(
    server: McpServerRecord,
    caller: McpCaller,
    onRenewal?: (() => void) | undefined,
  ): Record<string, string> | Promise<Record<string, string>>;
  /**
   * Forgets a credential that the server has refused; answers whether another one may be had. `used`: headers with which it
   * was refused, in lower case. Throws an RpcFailure that the caller gets to see.
   */
  forget(
    server: McpServerRecord,
    caller: McpCaller,
    used: Readonly<Record<string, string>>,
  ): boolean | Promise<boolean>;
  /**
   * What a caller gets to see whose credential the server has refused for having too few scopes; null where nothing but the refusal
   * is to be told. `challenge`: what the server said in `www-authenticate`.
   */
  stepUp(server: McpServerRecord, caller: McpCaller, challenge: string): Promise<RpcFailure | null>;
};

/** Headers of a caller that go on to the server, as its integration says: none unless it says so. */
export function forwardedHeaders(
  configurations: McpConfigurations,
  headers: IncomingHttpHeaders,
): Record<string, string> {
  const { forward_headers: rule, jwt_validation: validation } = configurations;
  if (rule === undefined) return {};
  // Nobody writes in the name of the gateway who calls, and a token goes on only where forwarding it is asked for.
  const own = [identityHeader(configurations), validation?.headerKey].flatMap((name) => name ?? []);
  const kept = new Set(own.map(readName));
  const { mode, headers: names } = Array.isArray(rule) ? { mode: 'allowlist', headers: rule } : rule;
  const renamed = new Map(
    names.map((name) =>
      typeof name === 'string'
        ? [name.toLowerCase(), name.toLowerCase()]
        : [name.from.toLowerCase(), name.to.toLowerCase()],
    ),
  );
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || isProtectedHeader(name) || kept.has(readName(name))) continue;
    const target = mode === 'allowlist' ? renamed.get(name) : renamed.has(name) ? undefined : name;
    if (target !== undefined && !isProtectedHeader(target) && !kept.has(readName(target)))
      forwarded[target] = String(value);
  }
  return forwarded;
}
