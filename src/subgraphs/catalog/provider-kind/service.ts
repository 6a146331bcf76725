import {
  allProviders,
  isPassedOn,
  keyLabelOf,
  labelOfSetting,
  nameOfKind,
  type Provider,
  type Setting,
} from '../../../providers/index.ts';
import type { ProviderKind, ProviderSetting } from '../../types.generated.ts';

/** A text that every setting takes which becomes part of an address. */
const SAMPLE = 'us-east-1';

function kindOf(provider: Provider): ProviderKind {
  const { id, endpoints, dialects = {}, settings, baseUrl, respond, models } = provider;
  const asked = [...endpoints, ...Object.keys(dialects)].filter((name) => !isPassedOn(name as never));
  return {
    id,
    name: nameOfKind(id),
    endpoints: [...new Set(asked)].sort(),
    keyLabel: keyLabelOf(id),
    settings: Object.entries(settings).map(([key, setting]) => settingOf(provider, key, setting)),
    needsCustomHost: baseUrl === null && !respond,
    listsModels: dialects.models !== undefined || models !== undefined,
  };
}

function settingOf(provider: Provider, key: string, setting: Setting): ProviderSetting {
  const options = optionsOf(setting);
  return {
    key,
    label: labelOfSetting(key),
    type: typeOf(setting, options),
    secret: setting.secret === true,
    required: isRequired(provider, key),
    options,
  };
}

function typeOf({ list, object, address }: Setting, options: string[]): ProviderSetting['type'] {
  if (list) return 'list';
  if (object) return 'object';
  if (address) return 'url';
  return options.length > 0 ? 'choice' : 'text';
}

/** The words of a pattern that is nothing but words. */
function optionsOf({ pattern }: Setting): string[] {
  const [, words] = /^\^\(\?:([\w-]+(?:\|[\w-]+)+)\)\$$/.exec(pattern?.source ?? '') ?? [];
  return words?.split('|') ?? [];
}

/** Whether an address follows from the other settings, and not without this one. */
function isRequired({ baseUrl, settings }: Provider, key: string): boolean {
  if (typeof baseUrl !== 'function') return false;
  const samples = Object.fromEntries(Object.keys(settings).map((name) => [name, SAMPLE]));
  const { [key]: _without, ...others } = samples;
  return baseUrl(samples) !== null && baseUrl(others) === null;
}

/** The gateway itself is no kind that an integration could be of. */
export const providerKinds: ProviderKind[] = allProviders.filter(({ id }) => id !== 'gateway').map(kindOf);
