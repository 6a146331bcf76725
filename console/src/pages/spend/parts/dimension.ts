import type { AnalyticsDimension } from '../documents.ts';

type Shown = {
  label: string;
  /** Field of the filter of the logs; null where there is none. */
  field: string | null;
};

/** By what costs are told apart. */
export const dimensions = {
  model: { label: 'Model', field: 'model' },
  api_key: { label: 'Key', field: 'key' },
  provider: { label: 'Provider', field: 'provider' },
  config: { label: 'Config', field: 'config' },
  workspace: { label: 'Workspace', field: null },
  user: { label: 'User', field: 'meta._user' },
  prompt: { label: 'Prompt', field: 'prompt' },
} as const satisfies Partial<Record<AnalyticsDimension, Shown>>;

export type Dimension = keyof typeof dimensions;

const META = 'meta.';

/** What the address says: a dimension, or a metadata key. */
export type By = { dimension: Dimension } | { metadataKey: string };

export function readBy(text: string | undefined): By {
  if (text?.startsWith(META) && text.length > META.length) return { metadataKey: text.slice(META.length) };
  return { dimension: text !== undefined && text in dimensions ? (text as Dimension) : 'model' };
}

export const byText = (by: By): string => ('dimension' in by ? by.dimension : META + by.metadataKey);

/** Where the logs are that a group counts: behind a filter, or in a workspace. */
export type Door = { filter: string } | { workspace: string };

/** Where the logs of a group are; null where they cannot be asked for, as with those that lack a value. */
export function doorOf(by: By, value: string | null): Door | null {
  if (value === null) return null;
  if ('dimension' in by && by.dimension === 'workspace') return { workspace: value };
  const field = 'dimension' in by ? dimensions[by.dimension].field : META + by.metadataKey;
  return field === null ? null : { filter: `${field}:${/\s/.test(value) ? JSON.stringify(value) : value}` };
}

/** A value of a group as people call it; `openai__gpt-4o` is `gpt-4o`. */
export function nameOf(by: By, value: string | null, names: ReadonlyMap<string, string>): string {
  if (value === null) return 'none';
  if ('dimension' in by && by.dimension === 'model') return value.split('__').slice(1).join('__') || value;
  return names.get(value) ?? value;
}
