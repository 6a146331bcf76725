import { anthropic } from './anthropic/index.ts';
import { bedrock } from './bedrock/index.ts';
import { cohere } from './cohere/index.ts';
import { google } from './google/index.ts';
import { mock } from './mock/index.ts';
import { openAiCompatible } from './openai-compatible/index.ts';
import { vendors } from './openai-compatible/vendors.ts';
import type { Provider } from './provider.ts';
import { HOST_PART, type Setting } from './setting.ts';
import { vertexAi } from './vertex-ai/index.ts';

export type { Endpoint } from './endpoint.ts';
export type {
  BaseUrl,
  Dialect,
  DialectAnswer,
  DialectRequest,
  Provider,
  ProviderCredential,
  ProviderHeaders,
  UnsignedRequest,
} from './provider.ts';
export { headerOfSetting, type Setting, type Settings, settingProblem } from './setting.ts';

const registry = new Map<string, Provider>(
  [mock, anthropic, bedrock, cohere, google, vertexAi, ...vendors.map(openAiCompatible)].map((provider) => [
    provider.id,
    provider,
  ]),
);

export const findProvider = (id: string): Provider | undefined => registry.get(id);

export const isKnownProvider = (id: string): boolean => registry.has(id);

/** Every setting that some provider takes, by its name. */
export const allSettings: ReadonlyMap<string, Setting> = new Map(
  [...registry.values()].flatMap(({ settings }) => Object.entries(settings)),
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
