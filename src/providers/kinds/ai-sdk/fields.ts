export type Fields = Record<string, unknown>;

/** What the caller asks and this provider cannot be asked; answered with 400 and the field's name. */
export class RequestProblem extends Error {
  readonly param: string | null;
  constructor(message: string, param: string | null = null) {
    super(message);
    this.param = param;
  }
}

/** A member that may be left out or null. */
export function optional<T>(
  body: Fields,
  name: string,
  fits: (value: unknown) => value is T,
  what: string,
): T | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!fits(value)) throw new RequestProblem(`${name} must be ${what}.`, name);
  return value;
}

export const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
