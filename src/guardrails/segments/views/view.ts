import type { Segment, TextEdit } from '../../check.ts';
import type { FoundSegment } from '../found.ts';
import { type NormalisedText, writtenSpan } from './normalised.ts';

/** A text as it reads otherwise than it is written. `edit`: what an edit of it does to what is written. */
export type TextView = { readonly segment: Segment; edit(edit: TextEdit): TextEdit[] };

/** Where a stretch of the normalised text stands in the original. */
export const spanIn = (clear: NormalisedText | null, start: number, end: number) =>
  clear === null ? { start, end } : writtenSpan(clear.starts, start, end);

/** A text that stands in another one, which is put together of several. */
export type JoinedPart = { segment: FoundSegment; clear: NormalisedText | null; from: number; to: number };

/** The replacement stands where the match begins; what of it lies in further parts is left out. */
export function editParts(parts: readonly JoinedPart[], { start, end, replacement }: TextEdit): TextEdit[] {
  return parts
    .filter(({ from, to }) => from < end && start < to)
    .map(({ segment, clear, from, to }, at) => ({
      segment,
      ...spanIn(clear, Math.max(start, from) - from, Math.min(end, to) - from),
      replacement: at === 0 ? replacement : '',
    }));
}
