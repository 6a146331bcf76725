/** One condition of the filter: `status:5xx`, `-model:gpt-4o`, `cost>0.01`, or a word to search for. */
export type Term = {
  /** Null for a word. */
  field: string | null;
  operator: ':' | '>' | '<';
  value: string;
  /** With a minus before it: what does not have it. */
  isNot: boolean;
};

const term = /(-)?(?:([a-zA-Z][\w.]*)(:|>=?|<=?))?("(?:[^"\\]|\\.)*"|\S+)/g;

/** Reads the text of the filter. Whatever is no condition is a word. */
export function readTerms(text: string): Term[] {
  return [...text.matchAll(term)].map(([whole, minus, field, operator, value = '']) => {
    if (field === undefined || operator === undefined)
      return { field: null, operator: ':', value: unquoted(minus ? whole : value), isNot: false };
    return {
      field: field.startsWith('meta.') ? field : field.toLowerCase(),
      operator: operator[0] as Term['operator'],
      value: unquoted(value),
      isNot: minus !== undefined,
    };
  });
}

/** The text of conditions, as it stands in the field and in the address. */
export const writeTerms = (terms: readonly Term[]): string => terms.map(writeTerm).join(' ');

export const writeTerm = ({ field, operator, value, isNot }: Term): string =>
  field === null ? quoted(value) : `${isNot ? '-' : ''}${field}${operator}${quoted(value)}`;

/** The text with one more condition; one of the same field and value gives way to it. */
export function withTerm(text: string, added: Term): string {
  const rest = readTerms(text).filter(({ field, value }) => field !== added.field || value !== added.value);
  return writeTerms([...rest, added]);
}

const quoted = (value: string): string =>
  /[\s"]/.test(value) || value === '' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value;

const unquoted = (value: string): string =>
  value.startsWith('"') && value.endsWith('"') && value.length > 1
    ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1')
    : value;
