import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';

/** Milliseconds that an issuer has to answer. */
const TIMEOUT = 5000;
const MAX_BYTES = 256 * 1024;
const MIN_MODULUS_BITS = 2048;

const jwks = z.object({ keys: z.array(z.looseObject({ kid: z.string().optional() })).max(100) });

/** The RSA keys of a JWKS with which an issuer may sign RS256, by `kid`; those of other kinds and shorter ones are left out. */
export async function fetchKeys(
  url: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Map<string, KeyObject>> {
  const { statusCode, body } = await request(url, {
    dispatcher,
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
  });
  const text = await textOf(body);
  if (statusCode !== 200) throw new Error(`The JWKS answered with status ${statusCode}.`);
  return new Map(jwks.parse(JSON.parse(text)).keys.flatMap(signingKey));
}

async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop destroys the body and its connection.
    if (bytes > MAX_BYTES) throw new Error(`The JWKS is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function signingKey(jwk: JsonWebKey & { kid?: string | undefined }): [string, KeyObject][] {
  const { kid, kty, use = 'sig', alg = 'RS256' } = jwk;
  if (!kid || kty !== 'RSA' || use !== 'sig' || alg !== 'RS256') return [];
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_MODULUS_BITS ? [[kid, key]] : [];
  } catch {
    // One broken key leaves the others in use: only tokens that name it are refused.
    return [];
  }
}
