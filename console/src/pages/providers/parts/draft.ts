import type { ProviderDetailQuery, ProviderKindsQuery } from '../documents.ts';

export type Kind = NonNullable<ProviderKindsQuery['providerKinds']>[number];
export type Stored = NonNullable<ProviderDetailQuery['integration']>;

/** What the form holds: texts, as they are written. */
export type Draft = {
  name: string;
  description: string;
  key: string;
  customHost: string;
  /** By the key of the setting. */
  settings: Record<string, string>;
};

export const blank: Draft = { name: '', description: '', key: '', customHost: '', settings: {} };

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** What is stored, with masks in the place of secrets. */
export function draftOf({ name, description, maskedKey, configurations }: Stored): Draft {
  const { custom_host: customHost, ...settings } = configurations as Record<string, unknown>;
  return {
    name,
    description: description ?? '',
    key: maskedKey ?? '',
    customHost: textOf(customHost),
    settings: Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, textOf(value)])),
  };
}

/** The settings as the graph takes them; what is left empty is left out. */
export function configurationsOf({ customHost, settings }: Draft): Record<string, unknown> {
  const given = Object.entries({ custom_host: customHost.trim(), ...settings });
  return Object.fromEntries(
    given.filter(([, value]) => value.trim() !== '').map(([key, value]) => [key, parsed(value)]),
  );
}

/** Headers were an object before they were a text. */
function parsed(value: string): unknown {
  if (!/^[[{]/.test(value.trim())) return value;
  try {
    return JSON.parse(value);
  } catch {
    // The graph says what is wrong with it.
    return value;
  }
}

/** What the graph is asked with the form; a key that is still the mask stays as it is stored. */
export const inputOf = (draft: Draft, maskedKey: string | null = null) => ({
  ...(draft.key !== '' && draft.key !== maskedKey && { key: draft.key }),
  configurations: configurationsOf(draft),
});

/** What has to be filled in first, as a sentence; null where everything is there. */
export function missingIn(draft: Draft, kind: Kind): string | null {
  if (draft.name.trim() === '') return 'Give it a name.';
  if (kind.needsCustomHost && draft.customHost.trim() === '') return 'Say where it answers.';
  const missing = kind.settings.find(({ key, required }) => required && !draft.settings[key]?.trim());
  return missing ? `${missing.label} is missing.` : null;
}
