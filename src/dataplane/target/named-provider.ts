import { headerOf } from '../../lib/http/headers.ts';
import { findProvider } from '../../providers/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { lacksModel, namedModel } from './requested-model.ts';

/** The provider that a call names for a leaf of its plan. */
export type NamedProvider = {
  /** `@slug` of a catalogue provider or the id of a provider kind. */
  name: string;
  /** Without a `@slug/`; null when neither config nor request names one. */
  model: string | null;
  /** Who named it. */
  by: 'target' | 'forced model' | 'model' | 'default model' | 'header';
};

/** What of a call names providers. */
export type NamingCall = Pick<Call, 'headers' | 'body' | 'route'>;

/** A call, a leaf of its plan, and whom the call names for that. */
export type Naming = { named: NamedProvider; leaf: Leaf; call: Call };

/**
 * `@slug/model` as `{ slug: '@slug', model }`; further slashes belong to the model, and so does what looks like a slug and
 * is one of `scopes`.
 */
function splitModel(
  model: unknown,
  scopes?: readonly string[],
): { slug: string | null; model: string | null } {
  if (typeof model !== 'string') return { slug: null, model: null };
  if (!model.startsWith('@')) return { slug: null, model };
  const match = /^(@[^/]+)\/(.+)$/s.exec(model);
  if (match?.[1] && scopes?.includes(match[1])) return { slug: null, model };
  return match ? { slug: match[1] ?? null, model: match[2] ?? null } : { slug: null, model };
}

/**
 * Whom a call names for a leaf: by the target's own provider, by the model that the config forces, by the model that the
 * request or the config's default asks for, by the header; in this order. Null when nothing names a provider.
 */
export function providerNamedFor(leaf: Leaf, call: NamingCall): NamedProvider | null {
  const header = headerProvider(call);
  const kind = leaf.provider ?? header;
  const scopes = kind === null || kind.startsWith('@') ? undefined : findProvider(kind)?.modelScopes;
  const forced = splitModel(leaf.overrideParams?.model, scopes);
  const isDefault = leaf.defaultParams?.model !== undefined && lacksModel(call);
  const asked = splitModel(isDefault ? leaf.defaultParams?.model : namedModel(call.body), scopes);
  const model = forced.model ?? asked.model;
  if (leaf.provider) return { name: leaf.provider, model, by: 'target' };
  if (forced.slug) return { name: forced.slug, model, by: 'forced model' };
  if (asked.slug && !(leaf.passthrough && header))
    return { name: asked.slug, model, by: isDefault ? 'default model' : 'model' };
  return header ? { name: header, model, by: 'header' } : null;
}

/** Where the name stands, as errors call the place. */
export function placeOfName({
  named: { by },
  leaf: { path, providerKey },
  call: { headers },
}: Naming): string {
  if (by === 'target') return `${path}.${providerKey}`;
  if (by === 'forced model') return `${path}.override_params.model`;
  if (by === 'default model') return `${path}.default_params.model`;
  if (by === 'model') return 'model';
  return headerOf(headers, 'x-gateway-provider')?.trim() ? 'x-gateway-provider' : 'x-gateway-virtual-key';
}

/** Whether the request itself says which provider it is for. */
export const namesProvider = (call: Call): boolean =>
  headerProvider(call) !== null || splitModel(namedModel(call.body)).slug !== null;

export function headerProvider(call: Pick<Call, 'headers'>): string | null {
  const virtualKey = headerOf(call.headers, 'x-gateway-virtual-key');
  const named = headerOf(call.headers, 'x-gateway-provider')?.trim();
  return named || (virtualKey ? `@${virtualKey.trim().replace(/^@/, '')}` : null);
}
