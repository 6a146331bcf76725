/** A stretch of a text. */
export type TextRun = { start: number; end: number };

/*
 * Runs are walked through by hand: an expression that repeats a class a million times comes to the end of its stack, and one
 * that looks for a mark from each character of a run on takes the square of its length.
 */

/** Runs of ASCII characters of a class. */
export function runsOf(characters: RegExp): (text: string) => Generator<TextRun> {
  const isMember = Uint8Array.from({ length: 128 }, (_, code) =>
    Number(characters.test(String.fromCharCode(code))),
  );
  return function* (text) {
    let start = -1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 128 && isMember[code] === 1) {
        if (start < 0) start = at;
      } else if (start >= 0) {
        yield { start, end: at };
        start = -1;
      }
    }
    if (start >= 0) yield { start, end: text.length };
  };
}

/** Runs that follow one another with no more between them than what `isBetween` takes. */
export const together = (
  runs: (text: string) => Iterable<TextRun>,
  isBetween: (text: string, from: number, to: number) => boolean,
) =>
  function* (text: string): Generator<TextRun> {
    let whole: TextRun | null = null;
    for (const run of runs(text)) {
      if (whole && isBetween(text, whole.end, run.start)) whole.end = run.end;
      else {
        if (whole) yield whole;
        whole = run;
      }
    }
    if (whole) yield whole;
  };

export const atLeast = (length: number, runs: (text: string) => Iterable<TextRun>) =>
  function* (text: string): Generator<TextRun> {
    for (const run of runs(text)) if (run.end - run.start >= length) yield run;
  };

/** Runs that match. The pattern has bounds, and takes time in proportion to the text. */
export const matching = (pattern: RegExp) =>
  function* (text: string): Generator<TextRun> {
    for (const { index, 0: run } of text.matchAll(pattern)) yield { start: index, end: index + run.length };
  };

const GAP = /[\s"']/;

/** Runs without spaces and quotes that hold a mark. */
export const around = (mark: RegExp) =>
  function* (text: string): Generator<TextRun> {
    let end = 0;
    for (const { index } of text.matchAll(mark)) {
      if (index < end) continue;
      let start = index;
      while (start > end && !GAP.test(text[start - 1] ?? '')) start--;
      end = index;
      while (end < text.length && !GAP.test(text[end] ?? '')) end++;
      yield { start, end };
    }
  };
