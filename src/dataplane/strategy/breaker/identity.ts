import { hash } from 'node:crypto';
import { headerOf } from '../../../lib/http/headers.ts';
import { allSettings, findProvider, headerOfSetting } from '../../../providers/index.ts';
import type { Leaf } from '../../../routing-config/plan.ts';
import type { Call } from '../../call/call.ts';
import { type NamingCall, providerNamedFor } from '../../target/named-provider.ts';

/** Headers with which a request may lead a target elsewhere. */
const settingHeaders: ReadonlySet<string> = new Set([...allSettings.keys()].map(headerOfSetting));

/** What of a call tells its targets apart. */
export type IdentifyingCall = NamingCall & Pick<Call, 'providerAuthorization'>;

/**
 * What one call makes of a target: provider, credential, host and model, as a digest. What happens to one model, or to one
 * caller's own credential, says nothing about the others.
 */
export function targetIdentity(leaf: Leaf, call: IdentifyingCall): string {
  const named = providerNamedFor(leaf, call);
  const name = named?.name ?? null;
  const host = headerOf(call.headers, 'x-gateway-custom-host');
  const chosen = Object.entries(call.headers).filter(([header]) => settingHeaders.has(header));
  const parts = [
    name,
    named?.model,
    host,
    chosen,
    ...(name?.startsWith('@') ? [] : ownCredential(name, leaf, call)),
  ];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

/** What a call brings along to a provider that is no entry of the catalogue. */
function ownCredential(name: string | null, leaf: Leaf, call: IdentifyingCall): unknown[] {
  if (leaf.apiKey !== null) return [leaf.apiKey];
  const secrets = Object.entries((name !== null && findProvider(name)?.settings) || {})
    .filter(([, setting]) => setting.secret)
    .map(([setting]) => headerOf(call.headers, headerOfSetting(setting)));
  return [call.providerAuthorization, ...secrets];
}
