import { GatewayError } from '../../errors/index.ts';
import { headerOf } from '../../lib/http/headers.ts';
import {
  headerOfSetting,
  type Provider,
  type ProviderSettings,
  settingProblem,
} from '../../providers/index.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';

/** A config may not lead a stored credential elsewhere: that is for the integration. */
export function requireChoosable(provider: Provider, leaf: Leaf): void {
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
export function chosenSettings(
  provider: Provider,
  leaf: Leaf,
  call: Call,
  credential: 'stored' | 'saved' | 'request',
): ProviderSettings {
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
