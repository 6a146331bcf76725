import type { IntegrationDocument } from '../integration/index.ts';
import {
  type FillableFields,
  fieldOfSetting,
  fillableSettings,
  mappedSetting,
  type SecretMapping,
} from '../secret-reference/index.ts';
import { settingOf } from './model-config.ts';

const PREFIX = 'model_config.';

/** The member of a virtual key that stands for a setting: its own name where it has one, else that of the setting. */
const memberOf = new Map<string, string>(
  Object.entries(settingOf).map(([member, setting]) => [setting, member]),
);

const nameOf = (setting: string): string => PREFIX + (memberOf.get(setting) ?? setting);

/** What mappings of a virtual key may fill; of an integration that is gone, there is a key alone. */
export function virtualKeyFields(
  integration: Pick<IntegrationDocument, 'aiProviderId' | 'ofVirtualKey'> | null,
): FillableFields {
  const settings = integration ? fillableSettings(integration) : [];
  return new Map([
    ['key', 'key'],
    ...settings.map((setting) => [nameOf(setting), fieldOfSetting(setting)] as const),
  ]);
}

/** Stored mappings, as virtual keys name what they fill. */
export const shownMappings = (mappings: readonly SecretMapping[] = []): SecretMapping[] =>
  mappings.map((mapping) => {
    const setting = mappedSetting(mapping);
    return setting === null ? mapping : { ...mapping, targetField: nameOf(setting) };
  });
