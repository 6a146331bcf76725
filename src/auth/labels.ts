import { isStorableName } from '../lib/storable.ts';
import type { Principal } from './index.ts';

const MAX_LABELS = 64;
/** Characters that a metadata value may have; a longer one is cut. */
export const MAX_LABEL_LENGTH = 128;

/**
 * The metadata in what a caller sent: the first 64 plain values under names that the database can hold, cut to
 * length.
 */
export const labels = (members: [string, unknown][]): Record<string, string> =>
  Object.fromEntries(
    members
      .slice(0, MAX_LABELS)
      .filter(([key, value]) => isPlain(value) && isStorableName(key))
      .map(([key, value]) => [key, String(value).slice(0, MAX_LABEL_LENGTH)]),
  );

/**
 * The metadata that a request is logged with. Where the request and its credential set the same name, the credential wins.
 * `_user` is the user of the credential; a credential without a user leaves it to the request, and last to `user` of the body.
 */
export function requestMetadata(
  user: unknown,
  asked: Record<string, string>,
  { userId, metadata }: Principal,
): Record<string, string> {
  const merged = { ...asked, ...metadata };
  if (userId) merged._user = userId;
  else if (merged._user === undefined && typeof user === 'string' && user !== '')
    merged._user = user.slice(0, MAX_LABEL_LENGTH);
  return merged;
}

const isPlain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
