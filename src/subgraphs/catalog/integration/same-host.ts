import { invalidInput } from '../../../errors/index.ts';
import { findProvider } from '../../../providers/index.ts';
import type { IntegrationConfigurations } from './model.ts';

/**
 * Stored credentials are write-only: whoever points an integration at another host must bring those that go there, or
 * changing the host would be a way to read them. `held`: the credentials that would stay as they are.
 */
export function requireSameHost(
  aiProviderId: string,
  before: IntegrationConfigurations,
  after: IntegrationConfigurations,
  held: readonly string[],
): void {
  if (held.length === 0 || originOf(aiProviderId, before) === originOf(aiProviderId, after)) return;
  const isCustom = before.custom_host !== undefined || after.custom_host !== undefined;
  throw invalidInput(
    isCustom ? 'input.configurations.custom_host' : 'input.configurations',
    `The ${isCustom ? 'custom host' : 'host'} changes: send ${held.join(', ')} again.`,
  );
}

/** Where calls go; what a request may choose by itself makes no difference. */
function originOf(
  aiProviderId: string,
  { custom_host: host, ...settings }: IntegrationConfigurations,
): string {
  const provider = findProvider(aiProviderId);
  const fixed = Object.entries(settings).filter(([name]) => !provider?.settings[name]?.byRequest);
  const baseUrl = provider?.baseUrl;
  const url = host ?? (typeof baseUrl === 'function' ? baseUrl(Object.fromEntries(fixed)) : baseUrl);
  return url ? new URL(url).origin : '';
}
