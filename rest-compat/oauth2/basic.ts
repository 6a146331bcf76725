import { GatewayError } from '../../src/errors/index.ts';
import type { Client } from '../../src/subgraphs/identity/access-token/index.ts';

/** Client id and secret of an `Authorization: Basic` header, each form-encoded (RFC 6749, section 2.3.1). */
export function readBasic(authorization: string | undefined): Client {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  const text = encoded && decodeUtf8(Buffer.from(encoded, 'base64'));
  const colon = text ? text.indexOf(':') : -1;
  if (!text || colon < 0) throw missing();
  return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
}

const missing = (cause?: unknown) =>
  new GatewayError('INVALID_CLIENT', {
    message: 'Send client id and client secret by HTTP basic authentication.',
    cause,
  });

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw missing(cause);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw missing(cause);
  }
}
