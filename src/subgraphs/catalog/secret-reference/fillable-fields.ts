import { findProvider, hostSettings } from '../../../providers/index.ts';

/** What mappings may fill: the name by which a caller says it, and the one by which it is stored. */
export type FillableFields = ReadonlyMap<string, string>;

const SETTING_PREFIX = 'configurations.';

/** How a mapping of a setting is stored. */
export const fieldOfSetting = (setting: string): string => SETTING_PREFIX + setting;

/** The setting that a stored mapping fills; null for the key. */
export const mappedSetting = ({ targetField }: { targetField: string }): string | null =>
  targetField === 'key' ? null : targetField.slice(SETTING_PREFIX.length);

/**
 * The settings of a kind of provider that a secret may fill. It may not lead a credential elsewhere: where calls go is for
 * everybody to see.
 */
export function mappableSettings(aiProviderId: string): string[] {
  const provider = findProvider(aiProviderId);
  if (!provider) return [];
  const decisive = hostSettings(provider);
  return Object.keys(provider.settings).filter((name) => !decisive.has(name));
}

/** Those that a provider may fill over an integration that others use as well: secrets, and what a request may choose. */
function overridableSettings(aiProviderId: string): string[] {
  const settings = findProvider(aiProviderId)?.settings ?? {};
  return mappableSettings(aiProviderId).filter((name) => settings[name]?.secret || settings[name]?.byRequest);
}

/** What mappings of a provider may fill of its integration's credential: whatever there is of one that is its own. */
export const fillableSettings = ({ aiProviderId, ofVirtualKey }: OwnedCredential): string[] =>
  ofVirtualKey ? mappableSettings(aiProviderId) : overridableSettings(aiProviderId);

/** `ofVirtualKey`: of an integration that no other provider may use. */
type OwnedCredential = { aiProviderId: string; ofVirtualKey?: boolean };

/** As integrations and providers name them. */
export const fillableFields = (settings: readonly string[]): FillableFields =>
  new Map(['key', ...settings.map(fieldOfSetting)].map((field) => [field, field]));
