const MEMBER = Buffer.from('"usage"');
const [SPACE, TAB, COMMA, COLON, N] = [32, 9, 44, 58, 110];

/** What a text says of usage. `cuts`: start and end of each member that is null, one comma beside it included. */
export type UsageMembers = { says: 'nothing' | 'null' | 'something'; cuts: [number, number][] };

const NOTHING: UsageMembers = { says: 'nothing', cuts: [] };

/**
 * Finds the members `"usage"` in lines of JSON without parsing them. Quotes inside JSON strings are escaped, so the name
 * in bare quotes, with a colon behind it, can only be a member.
 */
export function usageMembers(lines: Buffer): UsageMembers {
  let at = lines.indexOf(MEMBER);
  if (at === -1) return NOTHING;
  const found: UsageMembers = { says: 'nothing', cuts: [] };
  for (; at !== -1; at = lines.indexOf(MEMBER, at + MEMBER.length)) {
    const colon = behindSpace(lines, at + MEMBER.length);
    if (lines[colon] !== COLON) continue;
    const value = behindSpace(lines, colon + 1);
    if (lines[value] === N) found.cuts.push(cutAround(lines, at, value + 'null'.length));
    else found.says = 'something';
  }
  if (found.says === 'nothing' && found.cuts.length > 0) found.says = 'null';
  return found;
}

/** The bytes without the cuts; the same when there are none. */
export function without(lines: Buffer, cuts: readonly [number, number][]): Buffer {
  if (cuts.length === 0) return lines;
  const kept: Buffer[] = [];
  let from = 0;
  for (const [start, end] of cuts) {
    kept.push(lines.subarray(from, start));
    from = end;
  }
  kept.push(lines.subarray(from));
  return Buffer.concat(kept);
}

function cutAround(lines: Buffer, start: number, end: number): [number, number] {
  let before = start - 1;
  while (lines[before] === SPACE || lines[before] === TAB) before--;
  if (lines[before] === COMMA) return [before, end];
  const after = behindSpace(lines, end);
  return [start, lines[after] === COMMA ? after + 1 : end];
}

function behindSpace(lines: Buffer, at: number): number {
  let place = at;
  while (lines[place] === SPACE || lines[place] === TAB) place++;
  return place;
}
