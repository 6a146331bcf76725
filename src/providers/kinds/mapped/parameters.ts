import { invalidInput } from '../../../errors/index.ts';

export type MappedFields = Record<string, unknown>;

/** The provider's name for a parameter of the caller's, and the values that it may have. */
export type Parameter = {
  to: string;
  required?: true;
  default?: unknown;
  /** A number below `min` or above `max` becomes that bound. */
  min?: number;
  max?: number;
  /** Throws a GatewayError for what cannot be said. */
  transform?(value: unknown): unknown;
};

/** Parameters in the provider's words, by the caller's; a parameter that is not in the table is dropped. */
export function parametersOf(body: MappedFields, table: Readonly<Record<string, Parameter>>): MappedFields {
  const found: MappedFields = {};
  for (const [name, parameter] of Object.entries(table)) {
    const given = body[name] ?? parameter.default;
    if (given === undefined || given === null) {
      if (parameter.required) throw invalidInput(name, `${name} is required.`);
      continue;
    }
    const value = parameter.transform ? parameter.transform(given) : given;
    if (value !== undefined) found[parameter.to] = clamped(value, parameter);
  }
  return found;
}

const clamped = (value: unknown, { min = -Infinity, max = Infinity }: Parameter): unknown =>
  typeof value === 'number' ? Math.min(Math.max(value, min), max) : value;

/** A text, or a list of texts, as a list. */
export function textsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((item) => typeof item === 'string')) return list;
  throw invalidInput('input', 'input must be a text or a list of texts.');
}

/** A prompt, which is one text. */
export function promptOf(value: unknown): string {
  const list = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof list === 'string') return list;
  throw invalidInput('prompt', 'prompt must be one text.');
}

/** `1024x768` as its two numbers. */
export function sizeOf(value: unknown): [number, number] {
  const match = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(String(value));
  if (!match) throw invalidInput('size', 'size must be a width and a height such as 1024x1024.');
  return [Number(match[1]), Number(match[2])];
}
