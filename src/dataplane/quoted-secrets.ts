import { isSecretName } from '../lib/redaction.ts';
import { MIN_SECRET } from '../recording/masking.ts';
import type { KeptMessage } from '../recording/request-log.ts';
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

function addTo(secrets: string[], secret: string | null | undefined): void {
  if (typeof secret !== 'string' || secret.length < MIN_SECRET) return;
  secrets.push(secret);
  const within = JSON.stringify(secret).slice(1, -1);
  if (within !== secret) secrets.push(within);
}
