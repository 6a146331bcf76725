import type { JsonObject } from '../../lib/json.ts';

/** A member of an answer that may be its report of usage. */
export type Report = { name: string; members: JsonObject };

/** Reports that are looked at, from either end: the rest may be cut off or something else; hundreds are an attack. */
const CANDIDATES = 4;

/**
 * Objects that stand under one of the names, in order. Looks for the names instead of parsing the whole, which may be cut
 * off: quotes inside JSON strings are escaped, so a name with bare quotes and a colon can only be a member.
 */
export function reportsIn(text: string, names: readonly string[]): Report[] {
  const found = [...text.matchAll(patternOf(names))];
  const ends =
    found.length <= 2 * CANDIDATES ? found : [...found.slice(0, CANDIDATES), ...found.slice(-CANDIDATES)];
  return ends.flatMap((match) => {
    const members = parseObjectAt(text, match.index + match[0].length - 1);
    return members ? [{ name: match[1] ?? '', members }] : [];
  });
}

const patterns = new WeakMap<readonly string[], RegExp>();

/** Lists of names are written in the code, so there are few. */
function patternOf(names: readonly string[]): RegExp {
  let pattern = patterns.get(names);
  if (!pattern) {
    pattern = new RegExp(`"(${names.join('|')})"\\s*:\\s*\\{`, 'g');
    patterns.set(names, pattern);
  }
  return pattern;
}

function parseObjectAt(text: string, start: number): JsonObject | null {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return tryParse(text.slice(start, index + 1));
  }
  return null;
}

function tryParse(json: string): JsonObject | null {
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    // A provider's malformed JSON is the caller's to see; here it only means that there is no usage to record.
    return null;
  }
}
