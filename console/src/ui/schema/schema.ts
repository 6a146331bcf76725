/** The part of JSON Schema that forms are made from; everything else is written as JSON. */
export type Schema = {
  type?: string | readonly string[];
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  secret?: boolean;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
};

/** What is written, by the name of the member: a text for each, empty for what is left out. */
export type Written = Readonly<Record<string, string>>;

export type Kind = 'choice' | 'flag' | 'number' | 'text' | 'lines' | 'picks' | 'json';

/** Choices beyond which a list is written, and not ticked. */
const MOST_PICKS = 30;

export function kindOf({ type, enum: choices, items }: Schema): Kind {
  if (choices) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return 'text';
  if (type !== 'array' || items?.type !== 'string') return 'json';
  return items.enum && items.enum.length <= MOST_PICKS ? 'picks' : 'lines';
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (schema: Schema, value: unknown): string => {
  if (value === undefined || value === null) return '';
  const kind = kindOf(schema);
  if ((kind === 'lines' || kind === 'picks') && Array.isArray(value)) return value.join('\n');
  return typeof value === 'object' || kind === 'json' ? JSON.stringify(value) : String(value);
};

/** The members of a value as they are written. */
export const writtenOf = ({ properties = {} }: Schema, value: unknown): Written =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, unknown>).map(([name, own]) => [
      name,
      textOf(properties[name] ?? {}, own),
    ]),
  );

export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function memberOf(schema: Schema, text: string): unknown {
  const kind = kindOf(schema);
  if (kind === 'flag') return text === 'true';
  // What is no number goes as it is written: whoever takes it says what is wrong.
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'lines' || kind === 'picks') return linesIn(text);
  if (kind === 'choice') return schema.enum?.find((choice) => String(choice) === text) ?? text;
  return kind === 'json' ? parsed(text) : text;
}

/** Text that is no JSON stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value that is written; members that are empty are left out. */
export const valueIn = ({ properties = {} }: Schema, written: Written): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(written)
      .filter(([, text]) => text.trim() !== '')
      .map(([name, text]) => [name, memberOf(properties[name] ?? {}, text)]),
  );

/** The value with the members that are written otherwise than they stand; all else of it stays as it is, and where it is. */
export function changedIn(schema: Schema, value: Record<string, unknown>, written: Written): object {
  const { properties = {} } = schema;
  const before = writtenOf(schema, value);
  const after = { ...value };
  for (const [name, text] of Object.entries(written)) {
    if (text === (before[name] ?? '')) continue;
    if (text.trim() === '') delete after[name];
    else after[name] = memberOf(properties[name] ?? {}, text);
  }
  return after;
}

/** The first member that has to be there and is not; null where all are. */
export const missingOf = ({ required = [], properties = {} }: Schema, written: Written): string | null =>
  required.find((name) => !written[name]?.trim() && properties[name]?.default === undefined) ?? null;
