import type { IncomingHttpHeaders } from 'node:http';
import { isProtectedHeader } from '../configurations/headers.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

/** How the gateway proves itself to the server behind an MCP server, in the name of a caller. */
export type UpstreamCredentials = {
  /** Waits only for what is not in memory. Throws an UpstreamProblem, or an RpcFailure that the caller gets to see. */
  headersFor(
    server: McpServerRecord,
    caller: McpCaller,
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
};

/** Headers of a caller that go on to the server, as its integration says: none unless it says so. */
export function forwardedHeaders(
  { forward_headers: rule }: McpConfigurations,
  headers: IncomingHttpHeaders,
): Record<string, string> {
  if (rule === undefined) return {};
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
    if (value === undefined || isProtectedHeader(name)) continue;
    const target = mode === 'allowlist' ? renamed.get(name) : renamed.has(name) ? undefined : name;
    if (target !== undefined && !isProtectedHeader(target)) forwarded[target] = String(value);
  }
  return forwarded;
}
