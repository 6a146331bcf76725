import { isObject } from '../../../lib/json.ts';

/**
 * A list of JSON values as what differs from the list before: place and value in turn. A place below zero is the complement
 * of one whose object keeps its members; the value then has those that changed.
 */
export type Differences = unknown[];

type Members = Record<string, unknown>;

/**
 * Adds to `differences` what differs in a list from the list before, with places counted from `first`. Of calls that resemble
 * each other, which most do, little is left. `undefined` becomes `null`, as in JSON.
 */
export function addDifferences(
  differences: Differences,
  first: number,
  values: readonly unknown[],
  before: readonly unknown[],
): void {
  for (let place = 0; place < values.length; place++) {
    const value = values[place];
    const earlier = before[place];
    if (value === earlier) continue;
    const changed = isObject(value) && isObject(earlier) ? changedMembers(value, earlier) : null;
    if (changed === null) differences.push(first + place, value);
    else if (changed !== NOTHING) differences.push(~(first + place), changed);
  }
}

/** Brings a list up to date; objects that it held before stay as they are. */
export function applyDifferences(values: unknown[], differences: Differences): void {
  for (let at = 0; at < differences.length; at += 2) {
    const place = differences[at] as number;
    const value = differences[at + 1];
    if (place >= 0) values[place] = value;
    else values[~place] = { ...(values[~place] as Members), ...(value as Members) };
  }
}

const NOTHING: Members = {};

/** Null where the names of the members are others; one that is `undefined` does not count. */
function changedMembers(value: Members, earlier: Members): Members | null {
  let changed = NOTHING;
  let more = 0;
  for (const name in earlier) if (earlier[name] !== undefined) more--;
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    more++;
    if (member === earlier[name]) continue;
    if (earlier[name] === undefined || !Object.hasOwn(earlier, name)) return null;
    // Without a prototype, or a member `__proto__` would become it.
    if (changed === NOTHING) changed = Object.create(null) as Members;
    changed[name] = member;
  }
  return more === 0 ? changed : null;
}
