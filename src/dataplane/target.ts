import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors/index.ts';
import {
  type BaseUrl,
  findProvider,
  headerOfSetting,
  type Provider,
  type ProviderCredential,
  type Settings,
  settingProblem,
} from '../providers/index.ts';
import type { OwnPricing } from '../recording/pricing/index.ts';
import { type Call, headerOf } from './call.ts';
import type { Leaf } from './config/plan.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { isExpired, type ProviderRecord } from './directory.ts';
import { namedModel } from './requested-model.ts';
import { allowedModel } from './restricted-models.ts';

/** A leaf of the plan made concrete for one call: who is called, where, with which credential and which model. */
export type Target = {
  provider: Provider;
  /** The catalogue entry that supplies the credential; null when the caller or the config brings its own. */
  record: ProviderRecord | null;
  /** Null for a provider in this process. */
  base: BaseUrl | null;
  credential: ProviderCredential;
  /** Headers of the integration, sent on every request. */
  customHeaders: Record<string, string>;
  /** The model that goes upstream, without a `@slug/`; null when the body names none. */
  model: string | null;
  /** Null for the usual prices. */
  pricing: OwnPricing;
};

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

/** Chooses the provider of a leaf in the order of spec/data-plane.md, section 9.1, and checks that the call may use it. */
export function resolveTarget(
  leaf: Leaf,
  call: Call,
  dependencies: DataplaneDependencies,
): Target | Promise<Target> {
  const header = headerProvider(call);
  const named = leaf.provider ?? header;
  const scopes = named === null || named.startsWith('@') ? undefined : findProvider(named)?.modelScopes;
  const forced = splitModel(leaf.overrideParams?.model, scopes);
  const asked = splitModel(namedModel(call.body), scopes);
  const name =
    leaf.provider ?? forced.slug ?? (leaf.passthrough ? (header ?? asked.slug) : (asked.slug ?? header));
  const model = forced.model ?? asked.model;
  if (!name) {
    throw new GatewayError('PROVIDER_REQUIRED', {
      message:
        'No provider named: send x-gateway-provider, a config, or a model of the form @provider/model.',
      param: 'x-gateway-provider',
    });
  }
  return name.startsWith('@')
    ? fromCatalogue(name, model, leaf, call, dependencies)
    : fromRequest(name, model, leaf, call, dependencies);
}

/** Whether the request itself says which provider it is for. */
export const namesProvider = (call: Call): boolean =>
  headerProvider(call) !== null || splitModel(namedModel(call.body)).slug !== null;

export function headerProvider(call: Call): string | null {
  const virtualKey = headerOf(call.headers, 'x-gateway-virtual-key');
  const named = headerOf(call.headers, 'x-gateway-provider')?.trim();
  return named || (virtualKey ? `@${virtualKey.trim().replace(/^@/, '')}` : null);
}

function fromCatalogue(
  name: string,
  model: string | null,
  leaf: Leaf,
  call: Call,
  { directory, hostPolicy }: DataplaneDependencies,
): Target | Promise<Target> {
  const found = directory.providers.get(`${call.workspaceId}/${name.slice(1)}`);
  const targetOf = (record: ProviderRecord | null) => withRecord(record, name, model, leaf, call, hostPolicy);
  return found instanceof Promise ? found.then(targetOf) : targetOf(found);
}

function withRecord(
  record: ProviderRecord | null,
  name: string,
  model: string | null,
  leaf: Leaf,
  call: Call,
  hostPolicy: DataplaneDependencies['hostPolicy'],
): Target {
  if (!record) throw unknownProvider(`There is no provider ${name.slice(0, 100)} in this workspace.`);
  if (isExpired(record)) throw unknownProvider(`The provider ${name} has expired.`);
  const modelRecord = allowedModel(record, model, leaf, call);
  const provider = knownProvider(record.aiProviderId);
  const requestHost = headerOf(call.headers, 'x-gateway-custom-host') ?? leaf.customHost;
  if (requestHost && holdsSecrets(record, provider)) {
    throw new GatewayError('INVALID_CUSTOM_HOST', {
      message: 'A stored credential only goes to its own provider: set the custom host on the integration.',
      param: 'x-gateway-custom-host',
    });
  }
  const host = requestHost ?? modelRecord?.customHost ?? record.customHost;
  requireChoosable(provider, leaf);
  const { key, settings } = record.credential;
  const credential = { key, settings: { ...settings, ...chosenSettings(provider, leaf, call, 'stored') } };
  return {
    provider,
    record,
    base: baseUrlOf(provider, host, credential.settings, hostPolicy.problem),
    credential,
    customHeaders: record.customHeaders,
    model,
    pricing: modelRecord ? modelRecord.pricing : record.pricing,
  };
}

function fromRequest(
  name: string,
  model: string | null,
  leaf: Leaf,
  call: Call,
  { hostPolicy }: DataplaneDependencies,
): Target {
  const provider = knownProvider(name);
  if (call.savedConfig && leaf.apiKey !== null && leaf.provider === null) throw looseKey(leaf);
  const isStored = call.savedConfig !== null && bringsCredential(provider, leaf);
  if (isStored && headerOf(call.headers, 'x-gateway-custom-host')) {
    throw new GatewayError('INVALID_CUSTOM_HOST', {
      message: 'The credential of a saved config only goes where the config says.',
      param: 'x-gateway-custom-host',
    });
  }
  const host = headerOf(call.headers, 'x-gateway-custom-host') ?? leaf.customHost;
  const credential = {
    key: leaf.apiKey ?? bearerOf(call.providerAuthorization),
    settings: chosenSettings(provider, leaf, call, isStored ? 'saved' : 'request'),
  };
  return {
    provider,
    record: null,
    base: baseUrlOf(provider, host, credential.settings, hostPolicy.problem),
    credential,
    customHeaders: {},
    model,
    pricing: null,
  };
}

/** Headers of the integration may carry credentials as well. */
const holdsSecrets = ({ credential, customHeaders }: ProviderRecord, provider: Provider): boolean =>
  credential.key !== null ||
  Object.keys(customHeaders).length > 0 ||
  Object.keys(credential.settings).some((name) => provider.settings[name]?.secret);

/** The caller's own bearer token, for providers that take a key in another place. */
const bearerOf = (authorization: string | null): string | null =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1] ?? null;

const bringsCredential = (provider: Provider, leaf: Leaf): boolean =>
  leaf.apiKey !== null || Object.keys(leaf.settings).some((name) => provider.settings[name]?.secret);

/** A config may not lead a stored credential elsewhere: that is for the integration. */
function requireChoosable(provider: Provider, leaf: Leaf): void {
  for (const name in leaf.settings) {
    const setting = provider.settings[name];
    if (!setting || setting.byRequest) continue;
    throw new GatewayError('INVALID_CONFIG', {
      message: `${leaf.path}.${name} belongs to the credential: set it on the integration of ${leaf.provider ?? provider.id}.`,
      param: `${leaf.path}.${name}`,
    });
  }
}

/**
 * The provider's settings that the config or, behind it, the request's headers choose. Beside a credential that was
 * stored, with the integration or in a saved config, a request may not choose where it goes.
 */
function chosenSettings(
  provider: Provider,
  leaf: Leaf,
  call: Call,
  credential: 'stored' | 'saved' | 'request',
): Settings {
  const chosen: Record<string, string> = {};
  for (const name in provider.settings) {
    const setting = provider.settings[name];
    if (!setting || (credential === 'stored' && !setting.byRequest)) continue;
    const header = headerOfSetting(name);
    const byHeader = setting.byRequest || credential === 'request';
    const value = leaf.settings[name] ?? (byHeader ? headerOf(call.headers, header) : undefined);
    if (value === undefined) continue;
    const problem = settingProblem(setting, value);
    if (problem) {
      throw new GatewayError('VALIDATION_FAILED', {
        message: `${header} must be ${problem}.`,
        param: header,
      });
    }
    chosen[name] = value;
  }
  return chosen;
}

/** For configs that were saved before this was refused then. */
const looseKey = ({ path }: Leaf) =>
  new GatewayError('INVALID_CONFIG', {
    message: `${path}.api_key of a saved config needs the provider beside it.`,
    param: `${path}.api_key`,
  });

const unknownProvider = (message: string) =>
  new GatewayError('UNKNOWN_PROVIDER', { message, param: 'x-gateway-provider' });

function knownProvider(id: string): Provider {
  const provider = findProvider(id);
  if (!provider) throw unknownProvider(`The provider ${JSON.stringify(id.slice(0, 100))} is not known.`);
  return provider;
}

function baseUrlOf(
  provider: Provider,
  host: string | null,
  settings: Settings,
  problem: (url: string) => string | null,
): BaseUrl | null {
  if (provider.respond) return null;
  if (host !== null) {
    const reason = problem(host);
    if (reason)
      throw new GatewayError('INVALID_CUSTOM_HOST', {
        message: `The custom host is not allowed: ${reason}.`,
        param: 'x-gateway-custom-host',
      });
    return split(host);
  }
  if (typeof provider.baseUrl === 'string') return split(provider.baseUrl);
  const own = provider.baseUrl?.(settings) ?? null;
  if (own !== null) {
    const reason = problem(own);
    if (reason)
      throw new GatewayError('INVALID_CUSTOM_HOST', {
        message: `The settings of ${provider.id} lead to a host that is not allowed: ${reason}.`,
        param: 'x-gateway-provider',
      });
    return split(own);
  }
  const names = Object.keys(provider.settings);
  throw new GatewayError('INVALID_CUSTOM_HOST', {
    message: `The provider ${provider.id} needs a custom host${names.length > 0 ? ` or more of its settings (${names.join(', ')})` : ''}.`,
    param: 'x-gateway-custom-host',
  });
}

// Parsing a URL costs more than the rest of choosing a target, and the same few come with every request.
const bases = new LRUCache<string, BaseUrl>({ max: 1000 });

function split(url: string): BaseUrl {
  let base = bases.get(url);
  if (!base) {
    const { origin, pathname } = new URL(url);
    base = { origin, path: pathname.replace(/\/+$/, '') };
    bases.set(url, base);
  }
  return base;
}
