import type { WelcomeStateQuery } from '../documents.ts';

export type Kind = NonNullable<WelcomeStateQuery['providerKinds']>[number];

/** What test and save are sent: the key by itself, all other values as settings. */
export function inputOf(kind: Kind, values: Record<string, string>) {
  const { key, ...settings } = values;
  const choices = kind.settings
    .filter(({ type, required }) => type === 'choice' && required)
    .map(({ key: name, options }) => [name, options[0] ?? '']);
  const configurations = { ...Object.fromEntries(choices), ...settings };
  return {
    aiProviderId: kind.id,
    ...(key && { key }),
    ...(Object.keys(configurations).length > 0 && { configurations }),
  };
}

/** A model to begin with: a small one for conversations, where the list has one. */
export const chatModel = (models: readonly string[]): string | null =>
  models.find((name) => /^(gpt-4o-mini|claude-.*haiku|gemini-.*flash)/.test(name)) ??
  models.find((name) => /^(gpt|claude|gemini|llama|mistral)/.test(name)) ??
  models[0] ??
  null;
