import { type Filter, parse } from 'scim2-parse-filter';
import { invalidInput } from '../../../errors/index.ts';

const MAX_CHARACTERS = 1000;
const MAX_CONDITIONS = 20;

/** One condition of a filter; `path` in lower case, without the name of a schema. */
export type FilterCondition = { path: string; op: string; value: unknown };

/** A filter without brackets: `emails[type eq "work"]` says `emails.type`. */
export type FilterExpression = FilterCondition | { op: 'and' | 'or'; parts: FilterExpression[] };

/** The error of a filter that cannot be answered. */
export const invalidFilter = (problem: string) => invalidInput('filter', problem);

/** Reads a filter of RFC 7644, section 3.4.2.2; throws VALIDATION_FAILED, naming `filter`, for what is none. */
export function parseFilter(text: string): FilterExpression {
  if (text.length > MAX_CHARACTERS) throw invalidFilter(`A filter has at most ${MAX_CHARACTERS} characters.`);
  // The parser takes exponential time for a quoted text with many line breaks.
  if (/\p{Cc}/u.test(text)) throw invalidFilter('A filter has no control characters.');
  const expression = flatten(parsed(text), '');
  if (countOf(expression) > MAX_CONDITIONS) {
    throw invalidFilter(`A filter has at most ${MAX_CONDITIONS} conditions.`);
  }
  return expression;
}

function parsed(text: string): Filter {
  try {
    return parse(text);
  } catch {
    throw invalidFilter('The filter is not understood; it must be as RFC 7644, section 3.4.2.2, says.');
  }
}

function flatten(filter: Filter, prefix: string): FilterExpression {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, parts: filter.filters.map((part) => flatten(part, prefix)) };
    case '[]':
      return flatten(filter.valFilter, `${prefix}${pathOf(filter.attrPath)}.`);
    case 'not':
      throw invalidFilter('A filter cannot say not here; ask for what there is to be.');
    default:
      return {
        op: filter.op,
        path: prefix + pathOf(filter.attrPath),
        value: filter.op === 'pr' ? undefined : filter.compValue,
      };
  }
}

/** `urn:ietf:params:scim:schemas:core:2.0:User:userName` -> `username` */
const pathOf = (path: string): string =>
  path.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, '');

const countOf = (expression: FilterExpression): number =>
  'parts' in expression ? expression.parts.reduce((sum, part) => sum + countOf(part), 0) : 1;
