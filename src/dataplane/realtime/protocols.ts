import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/index.ts';

/** How a browser, which sets no headers on a WebSocket, sends a key. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';
const MAX_PROTOCOLS = 10;
/** RFC 9110, section 5.6.2. */
const token = /^[\w!#$%&'*+.^`|~-]{1,8192}$/;

/**
 * The subprotocols that the caller offers, without a key among them: that becomes `Authorization`, unless there is one.
 * Changes the headers, so that nobody behind this sees the key elsewhere.
 */
export function takeProtocols(headers: IncomingHttpHeaders): string[] {
  const offered = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const key = offered.find((name) => name.startsWith(KEY_PROTOCOL));
  if (key !== undefined) headers.authorization ??= `Bearer ${key.slice(KEY_PROTOCOL.length)}`;
  const names = [...new Set(offered.filter((name) => !name.startsWith(KEY_PROTOCOL)))];
  if (names.length > 0) headers['sec-websocket-protocol'] = names.join(', ');
  else delete headers['sec-websocket-protocol'];
  if (names.length <= MAX_PROTOCOLS && names.every((name) => token.test(name))) return names;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `sec-websocket-protocol lists at most ${MAX_PROTOCOLS} names.`,
    param: 'sec-websocket-protocol',
  });
}

/** Throws for an upgrade that could not be answered once the provider has taken its own. */
export function requireWebSocket({
  method,
  headers,
}: {
  method?: string;
  headers: IncomingHttpHeaders;
}): void {
  const key = headers['sec-websocket-key'];
  const version = headers['sec-websocket-version'];
  if (method === 'GET' && /^[+/0-9a-z]{22}==$/i.test(key ?? '') && version === '13') return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: 'The request is no opening of a WebSocket of version 13 (RFC 6455).',
    param: 'sec-websocket-key',
  });
}
