import { MemberWalk } from './members.ts';
import { Patch } from './patch.ts';
import { afterSpace, endOfValue } from './scan.ts';

/** By the name of a member of an object its new value as JSON text, or null to remove the member. */
export type MemberChanges = ReadonlyMap<string, string | null>;

/** A member that is changed: `index` counts the members before it, `previous` and `next` are where its neighbours end and begin. */
type Found = {
  name: string;
  start: number;
  value: number;
  end: number;
  index: number;
  previous: number;
  next: number;
};

/**
 * The text of a JSON object with other values of some of its members; what was not there is added. All other bytes stay as
 * they are. Of a changed member that comes more than once the last one stays, which is the one that parsers take.
 */
export function spliced(json: Buffer, changes: MemberChanges): Buffer {
  const text = json.toString('latin1');
  const members = new MemberWalk(text, afterSpace(text, 0));
  const found: Found[] = [];
  const last = new Map<string, Found>();
  let count = 0;
  let isWatched = true;
  while (members.next()) {
    const { name, start, value, previous } = members;
    const end = endOfValue(text, value);
    const next = members.leave(end);
    const index = count++;
    if (!changes.has(name)) continue;
    const member = { name, start, value, end, index, previous, next };
    found.push(member);
    last.set(name, member);
    if (last.size < changes.size || !isWatched) continue;
    // This is checked only once, because the check searches the whole rest of the text.
    if (!mayRepeat(text, next, changes)) break;
    isWatched = false;
  }
  const patch = new Patch(json);
  let removed = 0;
  for (const member of found) {
    const value = last.get(member.name) === member ? changes.get(member.name) : null;
    if (typeof value === 'string') patch.replace(member.value, member.end, value);
    // A member is cut with the comma before it or, when nothing is left before it, with the comma behind it.
    else if (member.index > removed++) patch.replace(member.previous, member.end, '');
    else patch.replace(member.start, member.next, '');
  }
  if (last.size < changes.size) {
    const added = membersOf(changes, last);
    const separator = count > removed && added !== '' ? ',' : '';
    patch.replace(members.previous, members.previous, separator + added);
  }
  return patch.patched();
}

/** The bytes of a member's value in the text of an object; null when it has none. */
export function memberOf(json: Buffer, name: string): Buffer | null {
  const text = json.toString('latin1');
  const members = new MemberWalk(text, afterSpace(text, 0));
  let found: Buffer | null = null;
  while (members.next()) {
    const end = endOfValue(text, members.value);
    if (members.name === name) found = json.subarray(members.value, end);
    members.leave(end);
  }
  return found;
}

/** The new members as JSON text. */
function membersOf(changes: MemberChanges, known: ReadonlyMap<string, unknown>): string {
  const members: string[] = [];
  for (const [name, value] of changes)
    if (value !== null && !known.has(name)) members.push(`${JSON.stringify(name)}:${value}`);
  return members.join();
}

/** Whether a changed name may stand in the rest of a text once more, written with escapes or without. */
function mayRepeat(text: string, from: number, changes: MemberChanges): boolean {
  if (text.includes('\\u', from)) return true;
  for (const name of changes.keys())
    if (manySpellings.test(name) || text.includes(`"${name}"`, from)) return true;
  return false;
}

/** Whether a name can be spelled in several ways, apart from escapes that give a character by its number. */
const manySpellings = /[^ !#-.0-[\]-~]/;
