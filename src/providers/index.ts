/*
 * The registry of providers. `vendors/` holds one entry, and one line below, for each:
 *
 *   plain.ts        OpenAI's format at OpenAI's paths: one line each
 *   own-paths.ts    OpenAI's format at an address that follows from settings, or at paths of their own
 *   mapped/         OpenAI's format but for an endpoint with a few words of its own
 *   proxy-only.ts   formats that the gateway does not know: requests go there as they are
 *   gateway.ts      the gateway itself, which answers that it is none
 *   <id>/           those with a dialect, a signature or deployments of their own
 *
 * What several vendors share is in `kinds/` (formats) and `credentials/` (ways to say who asks); no vendor imports another.
 */
import { openAiCompatible } from './kinds/openai-compatible/index.ts';
import type { Provider } from './provider.ts';
import { HOST_PART, type Setting } from './setting.ts';
import { anthropic } from './vendors/anthropic/index.ts';
import { anthropicAws } from './vendors/anthropic-aws/index.ts';
import { azureAi } from './vendors/azure-ai/index.ts';
import { azureOpenAi } from './vendors/azure-openai/index.ts';
import { bedrock } from './vendors/bedrock/index.ts';
import { cohere } from './vendors/cohere/index.ts';
import { gateway } from './vendors/gateway.ts';
import { google } from './vendors/google/index.ts';
import { mappedProviders } from './vendors/mapped/index.ts';
import { mock } from './vendors/mock/index.ts';
import { oracle } from './vendors/oracle/index.ts';
import { vendorsWithOwnPaths } from './vendors/own-paths.ts';
import { plainVendors } from './vendors/plain.ts';
import { proxyOnly } from './vendors/proxy-only.ts';
import { vertexAi } from './vendors/vertex-ai/index.ts';

export { askProvider, wholeAnswer } from './ask-provider.ts';
export { createOwnIdentity } from './credentials/own/identity.ts';
export { type Endpoint, isPassedOn } from './endpoint.ts';
export { hostSettings } from './host-settings.ts';
export type { AwsKeys, OwnIdentity } from './identity.ts';
export { keyLabelOf, labelOfSetting, nameOfKind } from './kind-names.ts';
export type {
  BaseUrl,
  Dialect,
  DialectAnswer,
  DialectRequest,
  Place,
  Provider,
  ProviderCredential,
  ProviderHeaders,
  UnsignedRequest,
} from './provider.ts';
export {
  headerOfSetting,
  type ProviderSettings,
  type Setting,
  settingProblem,
  settingText,
} from './setting.ts';

const registry = new Map<string, Provider>(
  [
    mock,
    anthropic,
    anthropicAws,
    azureAi,
    azureOpenAi,
    bedrock,
    cohere,
    google,
    oracle,
    vertexAi,
    ...[...plainVendors, ...vendorsWithOwnPaths].map(openAiCompatible),
    ...mappedProviders,
    ...proxyOnly,
    gateway,
  ].map((provider) => [provider.id, provider]),
);

/** In the order of their ids. */
export const allProviders: readonly Provider[] = [...registry.values()].sort((a, b) =>
  a.id < b.id ? -1 : 1,
);

export const findProvider = (id: string): Provider | undefined => registry.get(id);

export const isKnownProvider = (id: string): boolean => registry.has(id);

/** Every setting that some provider takes, by its name. */
export const allSettings: ReadonlyMap<string, Setting> = new Map(
  [...registry.values()].flatMap(({ settings }) => Object.entries(settings)),
);

/** Other names of settings in a config, each with the one that the setting has. */
export const settingAliases: ReadonlyMap<string, string> = new Map(
  [...allSettings].flatMap(([name, { aliases = [] }]) => aliases.map((alias) => [alias, name] as const)),
);

/** Names of the settings that are an address, or the part of one that says whose host it is, such as a region or a resource. */
export const addressSettings: readonly string[] = [...allSettings]
  .filter(([, { address, byRequest, pattern }]) => address || (pattern === HOST_PART && !byRequest))
  .map(([name]) => name);

/**
 * Whether the settings at hand stand for a credential: with this provider or, where none is named, with any that has such
 * settings.
 */
export function standsAlone(id: string | null, hasSetting: (name: string) => boolean): boolean {
  const providers = id === null ? [...registry.values()] : [registry.get(id)];
  const sets = providers.flatMap((provider) => provider?.sufficientSettings ?? []);
  return sets.some((names) => (id !== null || names.length > 0) && names.every(hasSetting));
}
