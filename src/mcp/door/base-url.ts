import type { IncomingMessage } from 'node:http';
import { localUrl } from '../../lib/http/local-url.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * The address at which callers reach MCP servers. Callers may write any host into a request: theirs counts only where it is the
 * loopback address.
 */
export function baseUrlOf(
  configured: string | null,
  { headers: { host = '' }, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
): string {
  if (configured !== null) return configured;
  if (loopback.test(host)) return `http://${host}`;
  const { localAddress = '127.0.0.1', localPort = 0 } = socket;
  return localUrl(localAddress.replace(/^::ffff:(?=\d+\.)/i, ''), localPort);
}
