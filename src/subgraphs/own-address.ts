import type { GraphContext } from './context.ts';

/** The caller's own machine, as it calls itself: a port that a container publishes is another than ours. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Address of this installation: the configured one, else the one at which the connection arrived. Callers may write any
 * host into a request, so that links of ours would lead to it: theirs counts only where it is the loopback address.
 */
export function ownAddress({ identity, request }: Pick<GraphContext, 'identity' | 'request'>): string {
  if (identity.publicUrl !== null) return identity.publicUrl;
  const { host = '' } = request.headers;
  return loopback.test(host) ? `http://${host}` : request.arrivedAt();
}

/** Where callers reach MCP servers: an address of its own, or that of this installation. */
export const mcpAddress = (context: Pick<GraphContext, 'identity' | 'request' | 'mcp'>): string =>
  context.mcp.baseUrl ?? ownAddress(context);
