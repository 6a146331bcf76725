import type { LogFilters } from '../documents.ts';
import type { Term } from './terms.ts';

/** What the names in a filter stand for. */
export type Names = {
  /** Ids of keys by name. */
  keys: ReadonlyMap<string, readonly string[]>;
  /** Kinds of providers that were called. */
  kinds: readonly string[];
};

export type Built = {
  filters: LogFilters;
  /** What of the text means nothing, as sentences. */
  problems: string[];
  /** Whether every log of the time has to be looked at. */
  isScan: boolean;
};

type Target = { filters: LogFilters; names: Names; term: Term };

/** Adds a condition, or says what is wrong with it. */
type Field = (target: Target) => string | null;

const numbers = (value: string): number[] | null => {
  const all = value.split(',').map(Number);
  return all.every(Number.isFinite) ? all : null;
};

const bound =
  (low: keyof LogFilters, high: keyof LogFilters, factor = 1): Field =>
  ({ filters, term }) => {
    const [value] = numbers(term.value) ?? [];
    if (value === undefined || term.operator === ':') return `write ${term.field}>1 or ${term.field}<1`;
    const limit = value * factor;
    Object.assign(filters, { [term.operator === '>' ? low : high]: limit });
    return null;
  };

const list =
  (name: keyof LogFilters, without: keyof LogFilters | null, map = (value: string) => value): Field =>
  ({ filters, term }) => {
    if (term.isNot && without === null) return 'it cannot be excluded';
    const target = (term.isNot ? without : name) as keyof LogFilters;
    const before = (filters[target] ?? []) as string[];
    Object.assign(filters, { [target]: [...before, ...term.value.split(',').map(map)] });
    return null;
  };

const yesOrNo =
  (name: keyof LogFilters): Field =>
  ({ filters, term }) => {
    if (!/^(yes|no|true|false)$/.test(term.value)) return 'write yes or no';
    const value = /^(yes|true)$/.test(term.value);
    Object.assign(filters, { [name]: value !== term.isNot });
    return null;
  };

const status: Field = (target) => {
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

const model: Field = ({ filters, names, term }) => {
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

const key: Field = ({ filters, names, term }) => {
  const name = term.isNot ? 'notApiKeyIds' : 'apiKeyIds';
  const ids = term.value.split(',').flatMap((value) => names.keys.get(value) ?? [value]);
  filters[name] = [...(filters[name] ?? []), ...ids];
  return null;
};

const plain =
  (name: keyof LogFilters): Field =>
  ({ filters, term }) => {
    if (term.isNot) return 'it cannot be excluded';
    Object.assign(filters, { [name]: term.value });
    return null;
  };

const upper = (value: string) => value.toUpperCase().replaceAll('_', ' ');
const slug = (value: string) => value.replace(/^@/, '');

/** Fields of the filter. */
export const fields: Readonly<Record<string, { hint: string; add: Field; isSummed?: true }>> = {
  status: { hint: '200, 429 or 5xx', add: status, isSummed: true },
  model: { hint: 'name of a model', add: model, isSummed: true },
  provider: { hint: '@slug', add: list('virtualKeys', 'notVirtualKeys', slug), isSummed: true },
  key: { hint: 'name of a key', add: key, isSummed: true },
  config: { hint: 'pc-…', add: list('configs', 'notConfigs'), isSummed: true },
  path: { hint: 'chatComplete, embed, …', add: list('endpoint', 'notEndpoint'), isSummed: true },
  cache: { hint: 'hit, miss, …', add: list('cacheStatus', 'notCacheStatus', upper), isSummed: true },
  error: { hint: 'yes or no', add: yesOrNo('hasError'), isSummed: true },
  prompt: { hint: 'slug of a prompt', add: plain('promptSlug'), isSummed: true },
  stream: { hint: 'yes or no', add: yesOrNo('stream') },
  user: { hint: 'id of a user', add: list('userId', 'notUserId') },
  source: { hint: 'user agent', add: list('source', 'notSource') },
  trace: { hint: 'trace id', add: plain('traceId') },
  cost: { hint: '>0.01 in dollars', add: bound('costMin', 'costMax', 100) },
  ms: { hint: '>1000 milliseconds', add: bound('responseTimeMin', 'responseTimeMax') },
  tokens: { hint: '>1000', add: bound('totalUnitsMin', 'totalUnitsMax') },
};

/** What the graph is asked for by the conditions of a text. */
export function buildFilters(terms: readonly Term[], names: Names): Built {
  const filters: LogFilters = {};
  const problems: string[] = [];
  let isScan = false;
  for (const term of terms) {
    const field = term.field === null ? undefined : fields[term.field];
    isScan ||= !field?.isSummed;
    const problem = field ? field.add({ filters, names, term }) : addOther(filters, term);
    if (problem) problems.push(`${term.field}: ${problem}`);
  }
  return { filters, problems, isScan };
}

function addOther(filters: LogFilters, term: Term): string | null {
  if (term.field === null) {
    const search = [filters.search, term.value].filter(Boolean).join(' ');
    if (search.length >= 2) filters.search = search;
    return null;
  }
  if (!term.field.startsWith('meta.'))
    return `there is no such field; there are ${Object.keys(fields).join(', ')} and meta.<key>`;
  const name = term.isNot ? 'notMetadata' : 'metadata';
  filters[name] = { ...(filters[name] as object), [term.field.slice('meta.'.length)]: term.value };
  return null;
}

/** Whether names have to be known before anything can be asked. */
export const needsNames = (terms: readonly Term[]): boolean =>
  terms.some(({ field, value }) => field === 'key' || (field === 'model' && !value.includes('__')));
