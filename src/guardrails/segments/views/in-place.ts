import { type DecodedRun, spanOfRun } from './decoded.ts';
import type { TextRun } from './runs.ts';

/** A stretch of a text in which coded runs stand in clear, and where it stands in the text as it is written. */
type Stretch = { from: number; to: number; start: number; run: DecodedRun | null };

/** A text in which all coded runs stand in clear: a phrase may be coded word by word. */
export type InPlace = {
  text: string;
  spanOf(start: number, end: number): { start: number; end: number };
};

/** Null where there is at most one run, which says by itself all that it says in its place. */
export function decodedInPlace(text: string, runs: readonly DecodedRun[]): InPlace | null {
  const apart = leftmost(runs);
  if (apart.length < 2) return null;
  const parts: string[] = [];
  const stretches: Stretch[] = [];
  let length = 0;
  let at = 0;
  const add = (said: string, start: number, run: DecodedRun | null) => {
    parts.push(said);
    stretches.push({ from: length, to: length + said.length, start, run });
    length += said.length;
  };
  for (const run of apart) {
    add(text.slice(at, run.start), at, null);
    add(run.text, run.start, run);
    at = run.end;
  }
  add(text.slice(at), at, null);
  return { text: parts.join(''), spanOf: (start, end) => spanOf(stretches, start, end) };
}

/** Of runs that overlap, the leftmost and longest. */
function leftmost(runs: readonly DecodedRun[]): readonly DecodedRun[] {
  const sorted = [...runs].sort((left, right) => left.start - right.start || right.end - left.end);
  let end = 0;
  return sorted.filter((run) => {
    if (run.start < end) return false;
    end = run.end;
    return true;
  });
}

function spanOf(stretches: readonly Stretch[], start: number, end: number): { start: number; end: number } {
  const first = stretches.find(({ to }) => start < to);
  const last = stretches.findLast(({ from }) => from < end);
  if (!first || !last) return { start: 0, end: 0 };
  return { start: within(first, start, end).start, end: within(last, start, end).end };
}

/** Where what of a stretch lies from one place to another is written. */
function within({ from, to, start, run }: Stretch, first: number, last: number): TextRun {
  const [begin, stop] = [Math.max(first, from) - from, Math.min(last, to) - from];
  return run === null ? { start: start + begin, end: start + stop } : spanOfRun(run, begin, stop);
}
