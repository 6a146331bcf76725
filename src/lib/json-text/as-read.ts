import { isUtf8 } from 'node:buffer';
import { countMembers } from './scan.ts';

/**
 * Whether every reader of a JSON text finds in it what the parser found, which made `value` of it: no object has a member
 * twice, of which another parser may take the other one, and the bytes are the UTF-8 that readers expect.
 */
export const readsOneWay = (json: Buffer, value: unknown): boolean =>
  isUtf8(json) && countMembers(json.toString('latin1')) === membersOf(value);

/**
 * Members of all objects in a value; null where a name has a backslash: V8 takes a name that is written with escapes for
 * such a one when it met that one at the same place before, `"\u0061"` for `"\\"`.
 */
export function membersOf(value: unknown): number | null {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const holder = left.pop();
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index++) {
        const item: unknown = holder[index];
        if (typeof item === 'object' && item !== null) left.push(item);
      }
      continue;
    }
    const members = holder as Record<string, unknown>;
    for (const name in members) {
      if (name.includes('\\')) return null;
      count++;
      const member = members[name];
      if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
  return count;
}
