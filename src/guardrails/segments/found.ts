import type { Segment } from '../check.ts';

/** A text of a body with what decides whether a check looks at it. */
export type FoundSegment = Segment & {
  /** Index of the message it belongs to; null for what belongs to none, such as a prompt. */
  readonly turn: number | null;
  /** The choice of an answer it belongs to; 0 where an answer has no choices. */
  readonly choice: number;
};

/** The texts of a body. */
export type ReadTexts = {
  readonly segments: readonly FoundSegment[];
  /** Index of the last message that the model said; -1 where it said none. */
  readonly lastAnswer: number;
  /** Index of the last message; -1 for a body without messages. */
  readonly lastTurn: number;
  /** Why some of the body cannot be read; null where all of it was. */
  readonly unreadable: string | null;
};

export const NO_TEXTS: ReadTexts = {
  segments: [],
  lastAnswer: -1,
  lastTurn: -1,
  unreadable: null,
};

export const unreadableTexts = (why: string): ReadTexts => ({ ...NO_TEXTS, unreadable: why });
