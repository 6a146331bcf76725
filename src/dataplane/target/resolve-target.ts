import { LRUCache } from 'lru-cache';
import { type Directory, isExpired, type ProviderRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import type { HostPolicy } from '../../lib/custom-host.ts';
import { headerOf } from '../../lib/http-headers.ts';
import {
  type BaseUrl,
  findProvider,
  headerOfSetting,
  type Provider,
  type Settings,
  settingProblem,
} from '../../providers/index.ts';
import type { OwnPricing } from '../../recording/pricing/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { type NamedProvider, placeOfName, providerNamedFor } from './named-provider.ts';
import { allowedModel } from './restricted-models.ts';
import type { Target } from './target.ts';

/** Where providers are looked up, and which hosts may be called. */
type Sources = { directory: Directory; hostPolicy: HostPolicy };

/** Whom a leaf of a call is for. */
type Asked = { named: NamedProvider; leaf: Leaf; call: Call };

/** Chooses the provider of a leaf in the order of spec/data-plane.md, section 9.1, and checks that the call may use it. */
export function resolveTarget(leaf: Leaf, call: Call, sources: Sources): Target | Promise<Target> {
  const named = providerNamedFor(leaf, call);
  if (!named) throw nobodyNamed(leaf);
  const asked = { named, leaf, call };
  return named.name.startsWith('@') ? fromCatalogue(asked, sources) : fromRequest(asked, sources);
}

function fromCatalogue(asked: Asked, { directory, hostPolicy }: Sources): Target | Promise<Target> {
  const { named, call } = asked;
  const found = directory.providers.get(`${call.workspaceId}/${named.name.slice(1)}`);
  return found instanceof Promise
    ? found.then((record) => withRecord(record, asked, hostPolicy))
    : withRecord(found, asked, hostPolicy);
}

function withRecord(record: ProviderRecord | null, asked: Asked, hostPolicy: HostPolicy): Target {
  const { named, leaf, call } = asked;
  const { name, model } = named;
  if (!record) throw unknownProvider(asked, `There is no provider ${name.slice(0, 100)} in this workspace`);
  if (isExpired(record)) throw unknownProvider(asked, `The provider ${name} has expired`);
  const provider = knownProvider(record.aiProviderId, asked);
  const modelRecord = allowedModel(record, provider, model, leaf, call);
  const requestHost = headerOf(call.headers, 'x-gateway-custom-host') ?? leaf.customHost;
  const { customHeaders } = modelRecord ?? record;
  if (requestHost && holdsSecrets(record, customHeaders, provider)) {
    throw new GatewayError('INVALID_CUSTOM_HOST', {
      message: 'A stored credential only goes to its own provider: set the custom host on the integration.',
      param: placeOfHost(asked),
    });
  }
  const host = requestHost ?? modelRecord?.customHost ?? record.customHost;
  requireChoosable(provider, leaf);
  const { key, settings } = record.credential;
  const credential = { key, settings: { ...settings, ...chosenSettings(provider, leaf, call, 'stored') } };
  return {
    provider,
    record,
    base: baseUrlOf(provider, host, credential.settings, asked, hostPolicy),
    hasFixedAddress: host === null && typeof provider.baseUrl === 'string',
    credential,
    isStored: true,
    customHeaders,
    model,
    pricing: pricingOf(provider, settings, modelRecord ? modelRecord.pricing : record.pricing),
  };
}

function fromRequest(asked: Asked, { hostPolicy }: Sources): Target {
  const { named, leaf, call } = asked;
  const provider = knownProvider(named.name, asked);
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
    base: baseUrlOf(provider, host, credential.settings, asked, hostPolicy),
    hasFixedAddress: host === null && typeof provider.baseUrl === 'string',
    credential,
    isStored,
    customHeaders: {},
    model: named.model,
    pricing: pricingOf(provider, credential.settings, null),
  };
}

/** A target of several names it itself or leaves it to the request; so may a config that is a target. */
function nobodyNamed({ path }: Leaf): GatewayError {
  const isTarget = path !== 'config';
  return new GatewayError('PROVIDER_REQUIRED', {
    message: `No provider named${isTarget ? ` by ${path}` : ''}: send x-gateway-provider, a config, or a model of the form @provider/model.`,
    param: isTarget ? `${path}.provider` : 'x-gateway-provider',
  });
}

function unknownProvider({ named, leaf, call }: Asked, problem: string): GatewayError {
  const place = placeOfName(named, leaf, call);
  return new GatewayError('UNKNOWN_PROVIDER', { message: `${problem}: see ${place}.`, param: place });
}

function knownProvider(id: string, asked: Asked): Provider {
  const provider = findProvider(id);
  if (!provider)
    throw unknownProvider(asked, `The provider ${JSON.stringify(id.slice(0, 100))} is not known`);
  return provider;
}

/** Where the request or its config names, or could name, a custom host. */
const placeOfHost = ({ named, leaf, call }: Asked): string =>
  headerOf(call.headers, 'x-gateway-custom-host') === undefined &&
  (leaf.customHostAt || named.by === 'target')
    ? (leaf.customHostAt ?? `${leaf.path}.custom_host`)
    : 'x-gateway-custom-host';

/** What is said of a model itself goes before what the settings say of all that they lead to. */
function pricingOf(provider: Provider, settings: Settings, own: OwnPricing): OwnPricing {
  const baseModel = provider.pricedAs?.(settings);
  if (baseModel === undefined || own?.baseModel) return own;
  return { list: null, multipliers: null, ...own, baseModel };
}

/** Headers of the integration may carry credentials as well. */
const holdsSecrets = (
  { credential }: ProviderRecord,
  customHeaders: Target['customHeaders'],
  provider: Provider,
): boolean =>
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
      const place = leaf.settings[name] === undefined ? header : `${leaf.path}.${name}`;
      throw new GatewayError('VALIDATION_FAILED', { message: `${place} must be ${problem}.`, param: place });
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

function baseUrlOf(
  provider: Provider,
  host: string | null,
  settings: Settings,
  asked: Asked,
  { problem }: HostPolicy,
): BaseUrl | null {
  if (provider.respond) return null;
  if (host !== null) {
    const reason = problem(host);
    if (reason)
      throw new GatewayError('INVALID_CUSTOM_HOST', {
        message: `The custom host is not allowed: ${reason}.`,
        param: placeOfHost(asked),
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
        param: placeOfName(asked.named, asked.leaf, asked.call),
      });
    return split(own);
  }
  const names = Object.keys(provider.settings);
  throw new GatewayError('INVALID_CUSTOM_HOST', {
    message: `The provider ${provider.id} needs a custom host${names.length > 0 ? ` or more of its settings (${names.join(', ')})` : ''}.`,
    param: placeOfHost(asked),
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
