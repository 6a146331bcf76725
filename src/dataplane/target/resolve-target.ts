import { type Directory, isExpired, type ProviderRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import type { HostPolicy } from '../../lib/http/custom-host.ts';
import { headerOf } from '../../lib/http/headers.ts';
import {
  findProvider,
  type OwnIdentity,
  type Provider,
  type ProviderCredential,
} from '../../providers/index.ts';
import type { OwnPricing } from '../../recording/pricing/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { baseUrlOf, placeOfHost } from './base-url.ts';
import { chosenSettings, requireChoosable } from './chosen-settings.ts';
import { type Naming, placeOfName, providerNamedFor } from './named-provider.ts';
import { allowedModel } from './restricted-models.ts';
import type { Target } from './target.ts';

/** Where providers are looked up, and which hosts may be called. */
type Sources = { directory: Directory; hostPolicy: HostPolicy; identity: OwnIdentity | null };

/** Chooses the provider of a leaf and checks that the call may use it. */
export function resolveTarget(leaf: Leaf, call: Call, sources: Sources): Target | Promise<Target> {
  const named = providerNamedFor(leaf, call);
  if (!named) throw nobodyNamed(leaf);
  const naming = { named, leaf, call };
  return named.name.startsWith('@') ? fromCatalogue(naming, sources) : fromRequest(naming, sources);
}

function fromCatalogue(naming: Naming, sources: Sources): Target | Promise<Target> {
  const { named, call } = naming;
  const found = sources.directory.providers.get(`${call.workspaceId}/${named.name.slice(1)}`);
  return found instanceof Promise
    ? found.then((record) => withRecord(record, naming, sources))
    : withRecord(found, naming, sources);
}

function withRecord(
  record: ProviderRecord | null,
  naming: Naming,
  { hostPolicy, identity }: Sources,
): Target {
  const { named, leaf, call } = naming;
  const { name, model } = named;
  if (!record) throw unknownProvider(naming, `There is no provider ${name.slice(0, 100)} in this workspace`);
  if (isExpired(record)) throw unknownProvider(naming, `The provider ${name} has expired`);
  const provider = knownProvider(record.aiProviderId, naming);
  const modelRecord = allowedModel(record, provider, naming);
  const requestHost = headerOf(call.headers, 'x-gateway-custom-host') ?? leaf.customHost;
  const { customHeaders } = modelRecord ?? record;
  if (requestHost && holdsSecrets(record, customHeaders, provider)) {
    throw new GatewayError('INVALID_CUSTOM_HOST', {
      message: 'A stored credential only goes to its own provider: set the custom host on the integration.',
      param: placeOfHost(naming),
    });
  }
  const host = requestHost ?? modelRecord?.customHost ?? record.customHost;
  requireChoosable(provider, leaf);
  const { key, settings } = record.credential;
  const credential = {
    key,
    settings: { ...settings, ...chosenSettings(provider, leaf, call, 'stored') },
    // Nobody but the provider itself gets to see it.
    identity: host === null ? identity : null,
  };
  return {
    provider,
    record,
    base: baseUrlOf({ provider, host, settings: credential.settings }, naming, hostPolicy),
    hasFixedAddress: host === null && typeof provider.baseUrl === 'string',
    credential,
    bareCredential: credential,
    usedSecrets: [],
    isStored: true,
    customHeaders,
    model: sentModel(provider, credential, model),
    pricing: pricingOf(provider, credential, model, modelRecord ? modelRecord.pricing : record.pricing),
  };
}

function fromRequest(naming: Naming, { hostPolicy }: Sources): Target {
  const { named, leaf, call } = naming;
  const provider = knownProvider(named.name, naming);
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
    base: baseUrlOf({ provider, host, settings: credential.settings }, naming, hostPolicy),
    hasFixedAddress: host === null && typeof provider.baseUrl === 'string',
    credential,
    bareCredential: credential,
    usedSecrets: [],
    isStored,
    customHeaders: {},
    model: sentModel(provider, credential, named.model),
    pricing: pricingOf(provider, credential, named.model, null),
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

function unknownProvider(naming: Naming, problem: string): GatewayError {
  const place = placeOfName(naming);
  return new GatewayError('UNKNOWN_PROVIDER', { message: `${problem}: see ${place}.`, param: place });
}

function knownProvider(id: string, naming: Naming): Provider {
  const provider = findProvider(id);
  if (!provider)
    throw unknownProvider(naming, `The provider ${JSON.stringify(id.slice(0, 100))} is not known`);
  return provider;
}

/** What is said of a model itself goes before what the settings say of all that they lead to. */
function pricingOf(
  provider: Provider,
  { settings }: ProviderCredential,
  model: string | null,
  own: OwnPricing,
): OwnPricing {
  const baseModel = provider.pricedAs?.(settings, model);
  if (baseModel === undefined || own?.baseModel) return own;
  return { list: null, multipliers: null, ...own, baseModel };
}

const sentModel = ({ sentModel }: Provider, { settings }: ProviderCredential, model: string | null) =>
  sentModel ? sentModel(model, settings) : model;

/** Headers of the integration may carry credentials as well. */
const holdsSecrets = (
  { credential, mappedSecrets }: ProviderRecord,
  customHeaders: Target['customHeaders'],
  provider: Provider,
): boolean =>
  credential.key !== null ||
  mappedSecrets.length > 0 ||
  Object.keys(customHeaders).length > 0 ||
  Object.keys(credential.settings).some((name) => provider.settings[name]?.secret);

/** The caller's own bearer token, for providers that take a key in another place. */
const bearerOf = (authorization: string | null): string | null =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1] ?? null;

const bringsCredential = (provider: Provider, leaf: Leaf): boolean =>
  leaf.apiKey !== null || Object.keys(leaf.settings).some((name) => provider.settings[name]?.secret);

/** A config that names no provider would let the caller choose who gets the key that the config has. */
const looseKey = ({ path }: Leaf) =>
  new GatewayError('INVALID_CONFIG', {
    message: `${path}.api_key of a saved config needs the provider beside it.`,
    param: `${path}.api_key`,
  });
