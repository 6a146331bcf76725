import type { RE2JS } from 're2js';

/** Instructions of a compiled program, by their numbers in the engine. */
const op = { alt: 1, altMatch: 2, capture: 3, emptyWidth: 4, fail: 5, match: 6, nop: 7, lastRune: 11 };
const ANY = 10;
const ANY_BUT_LINE_BREAK = 11;

/** Bits of an empty-width instruction that say where a text or a line begins or ends. */
const EDGES = 1 | 2 | 4 | 8;
const MAX_OF_ONE_UNIT = 0xffff;

type Instruction = { op: number; out: number; arg: number; runes: ArrayLike<number> };
type Program = { start: number; inst: readonly Instruction[] };

class Unbounded extends Error {}

/**
 * The longest text, in UTF-16 units, over which a match of the pattern can reach, with the character on either side where
 * it asks for a boundary of a word. Null where a match has no greatest length, or depends on where the text begins or ends.
 */
export function reachOf(pattern: RE2JS): number | null {
  const program: Program = pattern.re2().prog;
  // Lookups into what precedes a match are compiled to further instructions, whose length nothing bounds.
  try {
    const longest = longestFrom(program, program.start, new Map());
    return longest + (program.inst.some((one) => one.op === op.emptyWidth) ? 2 : 0);
  } catch (error) {
    if (error instanceof Unbounded) return null;
    throw error;
  }
}

/** `known` has the lengths of instructions that are done, and NaN for those that are under way. */
function longestFrom(program: Program, at: number, known: Map<number, number>): number {
  const found = known.get(at);
  if (found !== undefined) {
    // Whatever comes back to itself can be repeated for ever.
    if (Number.isNaN(found)) throw new Unbounded();
    return found;
  }
  known.set(at, Number.NaN);
  const longest = longestOf(program, program.inst[at] as Instruction, known);
  known.set(at, longest);
  return longest;
}

function longestOf(program: Program, instruction: Instruction, known: Map<number, number>): number {
  const { out, arg } = instruction;
  switch (instruction.op) {
    case op.match:
      return 0;
    case op.fail:
      return Number.NEGATIVE_INFINITY;
    case op.alt:
    case op.altMatch:
      return Math.max(longestFrom(program, out, known), longestFrom(program, arg, known));
    case op.emptyWidth:
      if ((arg & EDGES) !== 0) throw new Unbounded();
      return longestFrom(program, out, known);
    case op.capture:
    case op.nop:
      return longestFrom(program, out, known);
    default:
      if (instruction.op > op.lastRune) throw new Unbounded();
      return unitsOf(instruction) + longestFrom(program, out, known);
  }
}

/** UTF-16 units of the longest character that the instruction takes. */
function unitsOf({ op: kind, runes }: Instruction): number {
  if (kind === ANY || kind === ANY_BUT_LINE_BREAK) return 2;
  return Array.from(runes).some((rune) => rune > MAX_OF_ONE_UNIT) ? 2 : 1;
}
