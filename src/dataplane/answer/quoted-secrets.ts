import { LRUCache } from 'lru-cache';
import { MIN_SECRET } from '../../lib/masked-text.ts';
import { isSecretName } from '../../lib/redaction.ts';
import type { KeptMessage } from '../../recording/log/draft.ts';
import type { UpstreamHeaders } from '../send/upstream.ts';
import type { Target } from '../target/target.ts';
import type { Sought } from './secret-mask.ts';

/** Whose secrets a provider may quote in its answer. */
export type Keeper = Pick<Target, 'provider' | 'credential' | 'customHeaders'>;

/** The key, the secret settings and the integration's headers of a target, as they stand in a text and within JSON. */
export function secretsOf({ provider, credential, customHeaders }: Keeper): string[] {
  const secrets = written(credential.key);
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
  if (typeof authorization === 'string' && !endsWithOneOf(authorization, texts))
    addTo(texts, authorization.slice(authorization.lastIndexOf(' ') + 1));
  const [only] = texts;
  if (only === undefined) return null;
  return texts.length === 1 ? soughtAlone(only) : soughtOf(texts);
}

function endsWithOneOf(authorization: string, texts: readonly string[]): boolean {
  for (const text of texts) if (authorization.endsWith(text)) return true;
  return false;
}

const soughtOf = (texts: readonly string[]): Sought => ({
  texts,
  bytes: texts.map((text) => Buffer.from(text)),
});

const alone = new LRUCache<string, Sought>({ max: 1000 });

/** Nearly every target has one secret, the key, which comes with every call. */
function soughtAlone(text: string): Sought {
  let sought = alone.get(text);
  if (!sought) {
    sought = soughtOf([text]);
    alone.set(text, sought);
  }
  return sought;
}

const quotes = /["\\\p{Cc}\p{Cs}]/u;

/** A secret as it stands in a text and within JSON; none where it is too short to be looked for. */
function written(secret: string | null | undefined): string[] {
  if (typeof secret !== 'string' || secret.length < MIN_SECRET) return [];
  return quotes.test(secret) ? [secret, JSON.stringify(secret).slice(1, -1)] : [secret];
}

function addTo(secrets: string[], secret: string | null | undefined): void {
  secrets.push(...written(secret));
}
