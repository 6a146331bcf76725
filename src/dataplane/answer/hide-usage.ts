import { parsedObject } from '../../lib/json.ts';
import { usageMembers, without } from './usage-members.ts';

const LF = 10;
const CR = 13;
const DATA = 'data:';

/**
 * Takes out of a chat stream what came only because the gateway asked for token counts: the event that has the counts and no
 * choices, and `"usage": null` in the other events. Works on whole lines; lines without the member pass without a copy.
 */
export class UsageHider {
  /** True at the start of an event: the line before was blank. */
  #atStart = true;
  #dropsBlank = false;
  /** True when the bytes before ended with a CR, whose LF may still come. */
  #afterCr = false;
  #keptLast = true;

  /** What is left of the lines; null when nothing is. */
  filter(lines: Buffer): Buffer | null {
    const isSplit = this.#afterCr && lines[0] === LF;
    this.#afterCr = lines[lines.length - 1] === CR;
    if (isSplit) return this.#behindCr(lines);
    const { says, cuts } = usageMembers(lines);
    if (!this.#dropsBlank && says !== 'something') {
      this.#atStart = endsEvent(lines);
      this.#keptLast = true;
      return without(lines, cuts);
    }
    const kept: Buffer[] = [];
    for (let from = 0; from < lines.length; ) {
      const to = endOfLine(lines, from);
      const line = this.#line(lines.subarray(from, to));
      this.#keptLast = line !== null;
      if (line) kept.push(line);
      from = to;
    }
    return kept.length === 0 ? null : Buffer.concat(kept);
  }

  /** For lines that begin with the LF of the line before: the LF is kept if that line was. */
  #behindCr(lines: Buffer): Buffer | null {
    const lf = this.#keptLast ? lines.subarray(0, 1) : null;
    const others = lines.length > 1 ? this.filter(lines.subarray(1)) : null;
    return lf && others ? Buffer.concat([lf, others]) : (lf ?? others);
  }

  #line(line: Buffer): Buffer | null {
    const blank = line[0] === LF || line[0] === CR;
    const drops = this.#dropsBlank;
    this.#dropsBlank = false;
    if (blank && drops) return null;
    if (!blank && isCounts(line)) {
      // When the counts are the first line of an event they are all of it: the blank line that ends it goes too.
      this.#dropsBlank = this.#atStart;
      return null;
    }
    this.#atStart = blank;
    return without(line, usageMembers(line).cuts);
  }
}

function isCounts(line: Buffer): boolean {
  if (usageMembers(line).says !== 'something') return false;
  const text = line.toString('utf8').trim();
  if (!text.startsWith(DATA)) return false;
  const payload = parsedObject(text.slice(DATA.length));
  return Boolean(payload?.usage) && Array.isArray(payload?.choices) && payload.choices.length === 0;
}

/** The place behind the line that begins at `from`. CR LF counts as one line end. */
function endOfLine(lines: Buffer, from: number): number {
  for (let at = from; at < lines.length; at++) {
    if (lines[at] === LF) return at + 1;
    if (lines[at] === CR) return lines[at + 1] === LF ? at + 2 : at + 1;
  }
  return lines.length;
}

/** Whether the last line is blank, which ends an event. */
function endsEvent(lines: Buffer): boolean {
  const last = lines.length - 1;
  const before = lines[last] === LF && lines[last - 1] === CR ? last - 2 : last - 1;
  return before < 0 || lines[before] === LF || lines[before] === CR;
}
