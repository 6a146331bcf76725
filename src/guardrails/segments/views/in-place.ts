import type { DecodedRun } from './decoded.ts';

/** A stretch of a text in which coded runs stand in clear, and where it stands in the text as it is written. */
type Stretch = { from: number; to: number; start: number; end: number; isCoded: boolean };

/** A text in which all coded runs stand in clear: a phrase may be coded word by word. */
export type InPlace = {
  text: string;
  /** Of a coded run nothing can be replaced but the whole. */
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
  const add = (said: string, start: number, end: number, isCoded: boolean) => {
    parts.push(said);
    stretches.push({ from: length, to: length + said.length, start, end, isCoded });
    length += said.length;
  };
  for (const run of apart) {
    add(text.slice(at, run.start), at, run.start, false);
    add(run.text, run.start, run.end, true);
    at = run.end;
  }
  add(text.slice(at), at, text.length, false);
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
  return {
    start: first.isCoded ? first.start : first.start + start - first.from,
    end: last.isCoded ? last.end : last.start + end - last.from,
  };
}
