import { parseDateTime } from '../composition/scalars.ts';
import type { Constraint } from './read-rule.ts';

/** Hears of a mistake; `reason` is its exact code. */
type Report = (path: string, message: string, reason: string) => void;

/** Reports what is wrong with a value; absent and null values pass. */
export type Check = (value: unknown, path: string, report: Report) => void;

type Test = { holds: (value: unknown) => boolean; message: string; reason: string };

// No control or invisible characters: people must see the whole address in lists and audit entries.
const email = /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u;

const formats: Record<
  NonNullable<Constraint['format']>,
  { holds: (text: string) => boolean; name: string }
> = {
  EMAIL: { holds: (text) => email.test(text), name: 'an email address' },
  URI: { holds: (text) => URL.canParse(text), name: 'an absolute URI' },
  UUID: { holds: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text), name: 'a UUID' },
  DATE_TIME: { holds: (text) => parseDateTime(text) !== null, name: 'an RFC 3339 date and time' },
};

/** The bounds of one `@constraint`: those of lists (minItems, maxItems) or those of single values. */
export function checkOf(rule: Constraint, of: 'list' | 'value'): Check | null {
  const tests =
    of === 'list' ? listTests(rule) : [...textTests(rule), ...numberTests(rule), ...listTests(rule)];
  if (tests.length === 0) return null;
  return (value, path, report) => {
    if (value === null || value === undefined) return;
    const failed = tests.find((test) => !test.holds(value));
    if (failed) report(path, failed.message, failed.reason);
  };
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function textTests({ minLength, maxLength, pattern, format }: Constraint): Test[] {
  const tests: Test[] = [];
  const onText = (message: string, holds: (text: string) => boolean, reason = 'invalid_value') =>
    tests.push({ message, reason, holds: (value) => typeof value !== 'string' || holds(value) });
  if (maxLength !== undefined) {
    onText(
      `must have at most ${plural(maxLength, 'character')}.`,
      (text) => text.length <= maxLength || characters(text) <= maxLength,
      'string_above_max_length',
    );
  }
  if (minLength !== undefined) {
    onText(
      `must have at least ${plural(minLength, 'character')}.`,
      (text) => text.length >= minLength && (text.length >= 2 * minLength || characters(text) >= minLength),
      'string_below_min_length',
    );
  }
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u');
    onText(`must match ${pattern}`, (text) => expression.test(text));
  }
  if (format !== undefined) onText(`must be ${formats[format].name}.`, formats[format].holds);
  return tests;
}

function numberTests({ min, max }: Constraint): Test[] {
  const tests: Test[] = [];
  const onNumber = (message: string, side: string, holds: (number: number) => boolean) =>
    tests.push({
      message,
      reason: `integer_${side}_value`,
      holds: (value) => typeof value !== 'number' || holds(value),
    });
  if (min !== undefined) onNumber(`must be at least ${min}.`, 'below_min', (number) => number >= min);
  if (max !== undefined) onNumber(`must be at most ${max}.`, 'above_max', (number) => number <= max);
  return tests;
}

function listTests({ minItems, maxItems }: Constraint): Test[] {
  const tests: Test[] = [];
  const onList = (message: string, side: string, holds: (length: number) => boolean) =>
    tests.push({
      message,
      reason: `array_${side}_length`,
      holds: (value) => !Array.isArray(value) || holds(value.length),
    });
  if (minItems !== undefined) {
    onList(`must have at least ${plural(minItems, 'item')}.`, 'below_min', (length) => length >= minItems);
  }
  if (maxItems !== undefined) {
    onList(`must have at most ${plural(maxItems, 'item')}.`, 'above_max', (length) => length <= maxItems);
  }
  return tests;
}

/** Unicode code points, as JSON Schema counts. */
const characters = (text: string): number => [...text].length;
