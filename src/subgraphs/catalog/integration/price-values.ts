import { invalidInput } from '../../../errors/index.ts';
import { isObject } from '../../../lib/json.ts';

/** What prices and factors may be at most. */
const most = 1e6;

/** An object of members that are all known. */
export function objectOf(value: unknown, param: string, known: readonly string[]): Record<string, unknown> {
  if (!isObject(value)) throw invalidInput(param, `${param} must be an object.`);
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw invalidInput(`${param}.${stranger}`, `${param}.${stranger} is not supported.`);
  return value;
}

/** The members of an object with names of its own, each through `parse`. */
export function namedOf<T>(
  value: unknown,
  param: string,
  maxMembers: number,
  parse: (member: unknown, param: string) => T,
): Record<string, T> {
  if (!isObject(value)) throw invalidInput(param, `${param} must be an object.`);
  const entries = Object.entries(value);
  if (entries.length > maxMembers) throw invalidInput(param, `${param} has at most ${maxMembers} members.`);
  return Object.fromEntries(
    entries.map(([name, member]) => {
      if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
        throw invalidInput(`${param}.${name.slice(0, 64)}`, `${param} has a name that is not one.`);
      return [name, parse(member, `${param}.${name}`)] as const;
    }),
  );
}

export function amountOf(value: unknown, what: string, param: string): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  throw invalidInput(param, `${what} is a number from 0 to ${most}.`);
}
