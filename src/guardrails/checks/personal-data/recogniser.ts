/** Where something stands in a text, in UTF-16 units. */
export type TextSpan = { readonly start: number; readonly end: number };

/** Finds one kind of personal data by its form, in time that grows with the text alone. */
export type Recogniser = {
  /** As findings and placeholders name the kind. */
  readonly category: string;
  /** The longest text, in characters, that a decision takes into account. */
  readonly reach: number;
  /** Forms that may have a space in them, with what stands in front of a find and decides about it. */
  readonly spaced: readonly RegExp[];
  readonly find: (text: string) => readonly TextSpan[];
};

/**
 * The matches of a global expression that are accepted; of one with a group `value`, where that group stands. `matchAll` would
 * make a copy of the expression each time.
 */
export function matchedSpans(
  text: string,
  expression: RegExp,
  isAccepted: (value: string, match: RegExpExecArray) => boolean = () => true,
): TextSpan[] {
  const spans: TextSpan[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const value = match.groups?.value ?? match[0];
    const { lastIndex } = expression;
    if (isAccepted(value, match)) {
      const start = match.index + match[0].lastIndexOf(value);
      spans.push({ start, end: start + value.length });
    }
    // One that found nothing would find it again.
    expression.lastIndex = match[0] === '' ? lastIndex + 1 : lastIndex;
  }
  return spans;
}
