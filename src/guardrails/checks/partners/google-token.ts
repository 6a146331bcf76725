import { importPKCS8, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { parsedObject } from '../../../lib/json.ts';
import { jsonAnswer } from '../remote/common.ts';
import { objectOf, textOf } from './answers.ts';
import type { PartnerSend } from './partner.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** Seconds that a token is good for, and milliseconds for which one is used. */
const LIFE = 3_600;
const MEMORY = 3_000_000;

/** The key of a service account, as Google's console gives it out. */
export const serviceAccountKey = z
  .string()
  .min(1)
  .max(10_000)
  .meta({ secret: true })
  .describe('The key of a service account, as the JSON that Google gives out.');

const known = new LRUCache<string, string>({ max: 100, ttl: MEMORY });

/** An access token for a service account. */
export async function googleToken(key: string, send: PartnerSend): Promise<string> {
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const { client_email, private_key } = parsedObject(key) ?? {};
  if (typeof client_email !== 'string' || typeof private_key !== 'string')
    throw new Error('The key of the service account is not the JSON that Google gives out.');
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(client_email)
    .setAudience(TOKEN_URL)
    .setIssuedAt()
    .setExpirationTime(`${LIFE}s`)
    .sign(await importPKCS8(private_key, 'RS256'));
  const answer = await send({
    url: TOKEN_URL,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    }).toString(),
  });
  const token = textOf(objectOf(jsonAnswer('Google', answer)).access_token, 'access token');
  known.set(key, token);
  return token;
}
