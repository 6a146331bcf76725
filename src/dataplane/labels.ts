import { isStorableName } from '../lib/storable.ts';

const MAX_LABELS = 64;
/** Characters of a metadata value (spec/data-plane.md, section 8.2). */
export const MAX_LABEL_LENGTH = 128;

/** Metadata out of what a caller gave: the first 64 plain values under names that can be stored, cut to length. */
export const labels = (members: [string, unknown][]): Record<string, string> =>
  Object.fromEntries(
    members
      .slice(0, MAX_LABELS)
      .filter(([key, value]) => isPlain(value) && isStorableName(key))
      .map(([key, value]) => [key, String(value).slice(0, MAX_LABEL_LENGTH)]),
  );

const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
