import type { LogFilters } from '../documents.ts';
import {
  bound,
  type Field,
  key,
  list,
  model,
  type Names,
  plain,
  slug,
  status,
  upper,
  yesOrNo,
} from './field-kinds.ts';
import type { Term } from './terms.ts';

export type Built = {
  filters: LogFilters;
  /** What of the text means nothing, as sentences. */
  problems: string[];
  /** Whether every log of the time has to be looked at. */
  isScan: boolean;
};

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
