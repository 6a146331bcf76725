import type { Recogniser, TextSpan } from './recogniser.ts';

/** Something personal in a text. */
export type FoundData = TextSpan & { readonly category: string };

/** What recognisers find, from left to right: of finds that overlap, the leftmost, the longest, the one named first. */
export function findAll(text: string, recognisers: readonly Recogniser[]): FoundData[] {
  const found = recognisers.flatMap(({ category, find }) =>
    find(text).map(({ start, end }) => ({ category, start, end })),
  );
  return apart(found);
}

/** Spans of which none overlaps another. */
export function apart<Found extends TextSpan>(found: readonly Found[]): Found[] {
  const sorted = [...found].sort((one, other) => one.start - other.start || other.end - one.end);
  let end = 0;
  return sorted.filter((span) => {
    const isFree = span.start >= end;
    if (isFree) end = span.end;
    return isFree;
  });
}
