import { z } from 'zod';
import { compilePattern, patternParameter } from './user-pattern.ts';

const matchTypes = ['exact', 'contains', 'containsAll', 'regex'] as const;

type MatchType = (typeof matchTypes)[number];

export const matchTypeParameter = z
  .enum(matchTypes)
  .default('exact')
  .describe(
    'How a value is compared with those wanted: equals one of them, contains one of them, contains all of them, or has a match of one as a pattern.',
  );

/** Values that are wanted: one, or several. */
export const wantedValues = z.union([z.string().max(1_000), z.array(z.string().max(1_000)).min(1).max(100)]);

/** What is wrong with wanted values as patterns; null where they are sound. */
export function patternProblem(wanted: string | readonly string[]): string | null {
  for (const value of [wanted].flat()) {
    const { error } = patternParameter().safeParse(value);
    if (error) return error.issues[0]?.message ?? 'is no pattern';
  }
  return null;
}

/** Compares the values that something has with those wanted. Something with several values contains each of them. */
export function valueMatch(
  wanted: string | readonly string[],
  matchType: MatchType,
): (values: readonly string[]) => boolean {
  const all = [wanted].flat();
  const contains = (values: readonly string[]) => (part: string) =>
    values.length === 1 ? values[0]?.includes(part) === true : values.includes(part);
  switch (matchType) {
    case 'exact':
      return (values) => values.length === 1 && all.includes(values[0] ?? '');
    case 'contains':
      return (values) => all.some(contains(values));
    case 'containsAll':
      return (values) => all.every(contains(values));
    case 'regex': {
      const patterns = all.map((pattern) => compilePattern(pattern));
      return (values) => values.some((value) => patterns.some((pattern) => pattern.matcher(value).find()));
    }
  }
}
