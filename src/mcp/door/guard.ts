import type { IncomingMessage } from 'node:http';
import { RpcFailure, rpc } from '../exchange/failure.ts';

export type GuardSettings = {
  /** Origins whose pages may read answers; `*` for all. */
  corsOrigins: readonly string[];
  /** The address on which this process listens. */
  listenHost: string;
};

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i;

const nameOf = (host: string): string => host.replace(/:\d{1,5}$/, '');

/**
 * Refuses requests that a page of somebody else has made a browser send (DNS rebinding). `base`: the own address. Throws an
 * RpcFailure.
 */
export function requireOwnOrigin(
  { headers }: Pick<IncomingMessage, 'headers'>,
  base: string,
  { corsOrigins, listenHost }: GuardSettings,
): void {
  const { host = '', origin } = headers;
  const isNamedSo = () => nameOf(host) === new URL(base).hostname;
  if (loopback.test(listenHost) && !loopback.test(nameOf(host)) && !isNamedSo())
    throw refused('The Host header names another host.');
  if (origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin)) return;
  if (origin !== new URL(base).origin)
    throw refused('Pages of this origin may not use MCP servers: see CORS_ORIGINS.');
}

const refused = (message: string): RpcFailure =>
  new RpcFailure(rpc.transport, `Forbidden: ${message}`, { status: 403 });
