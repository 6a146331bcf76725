import type { LogFilters } from '../documents.ts';
import type { Term } from './terms.ts';

/** What the names in a filter stand for. */
export type Names = {
  /** Ids of keys by name. */
  keys: ReadonlyMap<string, readonly string[]>;
  /** Kinds of providers that were called. */
  kinds: readonly string[];
};

type Target = { filters: LogFilters; names: Names; term: Term };

/** Adds a condition, or says what is wrong with it. */
export type Field = (target: Target) => string | null;

const numbers = (value: string): number[] | null => {
  const all = value.split(',').map(Number);
  return all.every(Number.isFinite) ? all : null;
};

export const bound =
  (low: keyof LogFilters, high: keyof LogFilters, factor = 1): Field =>
  ({ filters, term }) => {
    const [value] = numbers(term.value) ?? [];
    if (value === undefined || term.operator === ':') return `write ${term.field}>1 or ${term.field}<1`;
    const limit = value * factor;
    Object.assign(filters, { [term.operator === '>' ? low : high]: limit });
    return null;
  };

export const list =
  (name: keyof LogFilters, without: keyof LogFilters | null, map = (value: string) => value): Field =>
  ({ filters, term }) => {
    if (term.isNot && without === null) return 'it cannot be excluded';
    const target = (term.isNot ? without : name) as keyof LogFilters;
    const before = (filters[target] ?? []) as string[];
    Object.assign(filters, { [target]: [...before, ...term.value.split(',').map(map)] });
    return null;
  };

export const yesOrNo =
  (name: keyof LogFilters): Field =>
  ({ filters, term }) => {
    if (!/^(yes|no|true|false)$/.test(term.value)) return 'write yes or no';
    const value = /^(yes|true)$/.test(term.value);
    Object.assign(filters, { [name]: value !== term.isNot });
    return null;
  };

export const status: Field = (target) => {
  const { filters, term } = target;
  const group = /^([1-9])xx$/i.exec(term.value)?.[1];
  if (group !== undefined) {
    if (!term.isNot) filters.statusClass = [...(filters.statusClass ?? []), Number(group)];
    else if (group === '2') filters.hasError = true;
    else return 'a class cannot be excluded; write a status';
    return null;
  }
  const codes = numbers(term.value);
  if (!codes) return 'write a status such as 429, or a class such as 5xx';
  const name = term.isNot ? 'notStatusCode' : 'statusCode';
  filters[name] = [...(filters[name] ?? []), ...codes];
  return null;
};

export const model: Field = ({ filters, names, term }) => {
  const name = term.isNot ? 'notAiOrgModel' : 'aiOrgModel';
  const found = term.value
    .split(',')
    .flatMap((value) => (value.includes('__') ? [value] : names.kinds.map((kind) => `${kind}__${value}`)));
  filters[name] = [...(filters[name] ?? []), ...(found.length > 0 ? found : [`none__${term.value}`])].slice(
    0,
    100,
  );
  return null;
};

export const key: Field = ({ filters, names, term }) => {
  const name = term.isNot ? 'notApiKeyIds' : 'apiKeyIds';
  const ids = term.value.split(',').flatMap((value) => names.keys.get(value) ?? [value]);
  filters[name] = [...(filters[name] ?? []), ...ids];
  return null;
};

export const plain =
  (name: keyof LogFilters): Field =>
  ({ filters, term }) => {
    if (term.isNot) return 'it cannot be excluded';
    Object.assign(filters, { [name]: term.value });
    return null;
  };

export const upper = (value: string) => value.toUpperCase().replaceAll('_', ' ');
export const slug = (value: string) => value.replace(/^@/, '');
