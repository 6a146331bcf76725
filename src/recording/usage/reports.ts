import type { JsonObject } from '../../lib/json.ts';
import { afterSpace, isObjectAt } from '../../lib/json-text/scan.ts';

/** A member of an answer that may be its report of usage. */
export type Report = { name: string; members: JsonObject };

/** Reports that are looked at, from either end: the rest may be cut off or something else; hundreds are an attack. */
const CANDIDATES = 4;

/** Where an object begins that stands under a name. */
type Place = { name: string; start: number };

/**
 * Objects that stand under one of the names, in order. Looks for the names instead of parsing the whole, which may be cut
 * off: quotes inside JSON strings are escaped, so a name with bare quotes and a colon can only be a member.
 */
export function reportsIn(text: string, names: readonly string[]): Report[] {
  const found = placesIn(text, names);
  const ends =
    found.length <= 2 * CANDIDATES ? found : [...found.slice(0, CANDIDATES), ...found.slice(-CANDIDATES)];
  const reports: Report[] = [];
  for (const { name, start } of ends) {
    const members = parseObjectAt(text, start);
    if (members) reports.push({ name, members });
  }
  return reports;
}

/** By plain search: an expression takes longer than all else that is done to find the usage of an answer. */
function placesIn(text: string, names: readonly string[]): Place[] {
  const places: Place[] = [];
  const stems = stemsOf(names);
  for (const stem of stems)
    for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + stem.length)) {
      if (text[at - 1] !== '"') continue;
      const end = text.indexOf('"', at);
      const name = names.find((each) => at + each.length === end && text.startsWith(each, at));
      const start = name === undefined ? -1 : objectAfter(text, end + 1);
      if (name !== undefined && start >= 0) places.push({ name, start });
    }
  return stems.length === 1 || places.length < 2
    ? places
    : places.sort((one, other) => one.start - other.start);
}

const knownStems = new WeakMap<readonly string[], readonly string[]>();

/** The names that begin with no other name: whoever finds these finds all. Lists of names stand in the code, so there are few. */
function stemsOf(names: readonly string[]): readonly string[] {
  let stems = knownStems.get(names);
  if (!stems) {
    stems = names.filter((name) => !names.some((other) => other !== name && name.startsWith(other)));
    knownStems.set(names, stems);
  }
  return stems;
}

/** The brace of an object that follows a name, behind a colon; -1 where something else does. */
function objectAfter(text: string, from: number): number {
  const colon = afterSpace(text, from);
  if (text[colon] !== ':') return -1;
  const start = afterSpace(text, colon + 1);
  return isObjectAt(text, start) ? start : -1;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

function parseObjectAt(text: string, start: number): JsonObject | null {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return tryParse(text.slice(start, index + 1));
  }
  return null;
}

/** The quote that ends a string, or the end of a text that is cut off. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index++;
    else if (code === QUOTE) return index;
  }
  return text.length;
}

function tryParse(json: string): JsonObject | null {
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    // A provider's malformed JSON is the caller's to see; here it only means that there is no usage to record.
    return null;
  }
}
