import { RE2JS, RE2JSException } from 're2js';
import { z } from 'zod';

/** The most characters of a pattern. */
const MAX_LENGTH = 1_000;
/** The most instructions it may compile to: the time of a match is this times the characters of the text, at worst. */
const MAX_INSTRUCTIONS = 5_000;

/** A pattern as configs write it: `pattern`, or `/pattern/flags` where `isDelimited`. Throws an Error that says what would do. */
export function compilePattern(written: string, { isDelimited = false } = {}): RE2JS {
  const { source, flags } = (isDelimited && delimited(written)) || { source: written, flags: 0 };
  const compiled = compiledBy(source, flags);
  if (compiled.programSize() > MAX_INSTRUCTIONS)
    throw new Error('the pattern has too many counted repetitions; take smaller counts, or + or *');
  return compiled;
}

function compiledBy(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Error(
      `${error.message}; patterns are those of RE2, without look-around and back-references: https://github.com/google/re2/wiki/Syntax`,
    );
  }
}

const flagOf: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // All matches are replaced, and characters are always whole: these two say what is so anyway.
  g: 0,
  u: 0,
};

function delimited(written: string): { source: string; flags: number } | null {
  const [, source, letters = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? [];
  if (source === undefined) return null;
  const unknown = [...letters].find((letter) => flagOf[letter] === undefined);
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is not a flag; there are ${Object.keys(flagOf).join(', ')}`);
  return { source, flags: [...letters].reduce((flags, letter) => flags | (flagOf[letter] ?? 0), 0) };
}

/** A parameter that holds a pattern. */
export const patternParameter = (options: { isDelimited?: boolean } = {}) =>
  z
    .string()
    .min(1)
    .max(MAX_LENGTH)
    .superRefine((written, context) => {
      try {
        compilePattern(written, options);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    });

/** Where a pattern matches, from left to right; matches of no character are left out. */
export function* matchesOf(pattern: RE2JS, text: string): Generator<{ start: number; end: number }> {
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    if (end > start) yield { start, end };
  }
}
