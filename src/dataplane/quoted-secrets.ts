import { LRUCache } from 'lru-cache';
import { isSecretName } from '../lib/redaction.ts';
import { MIN_SECRET } from '../recording/masking.ts';
import type { KeptMessage } from '../recording/request-log.ts';
import type { Sought } from './secret-mask.ts';
import type { Target } from './target.ts';
import type { UpstreamHeaders } from './upstream/upstream.ts';

/** Whose secrets a provider may quote in its answer. */
export type Keeper = Pick<Target, 'provider' | 'credential' | 'customHeaders'>;

/** The key, the secret settings and the integration's headers of a target, as they stand in a text and within JSON. */
export function secretsOf({ provider, credential, customHeaders }: Keeper): string[] {
  const secrets: string[] = [];
  addTo(secrets, credential.key);
  for (const name in customHeaders) addTo(secrets, customHeaders[name]);
  for (const name in credential.settings)
    if (provider.settings[name]?.secret) addTo(secrets, credential.settings[name]);
  return secrets;
}

/** The same, and what was made of them for this request: tokens, signatures. */
export function sentSecretsOf(keeper: Keeper, sent: UpstreamHeaders | KeptMessage['headers']): string[] {
  const secrets = secretsOf(keeper);
  for (const name in sent) {
    if (!isSecretName(name)) continue;
    for (const value of [sent[name]].flat()) addTo(secrets, value?.slice(value.lastIndexOf(' ') + 1));
  }
  return secrets;
}

/**
 * The secrets of a target that its caller must not learn, since they were stored with the integration or in a saved config,
 * and the access token that was made of them; null where there are none.
 */
export function storedSecretsOf(target: Target, sent: UpstreamHeaders): Sought | null {
  if (!target.isStored) return null;
  const texts = secretsOf(target);
  const { authorization } = sent;
  const token =
    typeof authorization === 'string' ? authorization.slice(authorization.lastIndexOf(' ') + 1) : '';
  if (!texts.includes(token)) addTo(texts, token);
  return texts.length === 0 ? null : { texts, bytes: texts.map(bytesOf) };
}

const knownBytes = new LRUCache<string, Buffer>({ max: 1000 });

function bytesOf(text: string): Buffer {
  let bytes = knownBytes.get(text);
  if (!bytes) {
    bytes = Buffer.from(text);
    knownBytes.set(text, bytes);
  }
  return bytes;
}

const quotes = /["\\\p{Cc}\p{Cs}]/u;

function addTo(secrets: string[], secret: string | null | undefined): void {
  if (typeof secret !== 'string' || secret.length < MIN_SECRET) return;
  secrets.push(secret);
  // As it stands within JSON.
  if (quotes.test(secret)) secrets.push(JSON.stringify(secret).slice(1, -1));
}
