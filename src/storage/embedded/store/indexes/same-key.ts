import { asNumber, type Document, isDocument } from '../../value/types.ts';
import type { Index } from './index-spec.ts';

/** True when a name or a key means the index. */
export const isNamed = (index: Index, given: unknown): boolean =>
  isDocument(given) ? sameKey(index.key, given) : index.name === given;

/** Index keys are the same when fields, order and directions are. */
export function sameKey(left: Document, right: Document): boolean {
  const names = Object.keys(left);
  const others = Object.keys(right);
  return (
    names.length === others.length &&
    names.every((name, i) => name === others[i] && asNumber(left[name]) === asNumber(right[name]))
  );
}
