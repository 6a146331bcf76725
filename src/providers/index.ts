import { mock } from './mock/index.ts';
import { openAiCompatible } from './openai-compatible/index.ts';
import { vendors } from './openai-compatible/vendors.ts';
import type { Provider } from './provider.ts';

export type { LocalRequest, LocalResponse, Provider, ProviderCredential } from './provider.ts';

const registry = new Map<string, Provider>(
  [mock, ...Object.entries(vendors).map(([id, baseUrl]) => openAiCompatible(id, baseUrl))].map((provider) => [
    provider.id,
    provider,
  ]),
);

export const findProvider = (id: string): Provider | undefined => registry.get(id);

export const isKnownProvider = (id: string): boolean => registry.has(id);
