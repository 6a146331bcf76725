import { compileFilter } from '../query/filter.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';

/**
 * Which top-level fields a pipeline reads, so that a scan decodes no others. Null means all of them, which is also the
 * answer whenever it is not certain.
 */
export function neededFields(pipeline: readonly Document[]): Set<string> | null {
  const fields = new Set<string>();
  for (const stage of pipeline) {
    const [name = ''] = Object.keys(stage);
    const verdict = visit(name, stage[name], fields);
    if (verdict === 'all') return null;
    if (verdict === 'done') return fields;
  }
  return null;
}

type Verdict = 'all' | 'done' | 'on';

function visit(name: string, spec: unknown, fields: Set<string>): Verdict {
  switch (name) {
    case '$match':
      return isDocument(spec) && add(fields, compileFilter(spec).fields) ? 'on' : 'all';
    case '$sort':
      return isDocument(spec) && add(fields, Object.keys(spec).map(root)) ? 'on' : 'all';
    case '$limit':
    case '$skip':
      return 'on';
    case '$unwind':
      return expression(isDocument(spec) ? spec.path : spec, fields) ? 'on' : 'all';
    case '$addFields':
    case '$set':
      return isDocument(spec) && add(fields, Object.keys(spec).map(root)) && expression(spec, fields)
        ? 'on'
        : 'all';
    case '$count':
      return 'done';
    case '$group':
    case '$sortByCount':
    case '$bucket':
      return expression(spec, fields) ? 'done' : 'all';
    case '$project':
      return project(spec, fields);
    case '$facet':
      return isDocument(spec) && Object.values(spec).every((pipeline) => facet(pipeline, fields))
        ? 'done'
        : 'all';
    default:
      return 'all';
  }
}

const root = (path: string): string => path.split('.')[0] ?? path;

function add(fields: Set<string>, more: Iterable<string> | null): boolean {
  if (more === null) return false;
  for (const field of more) fields.add(field);
  return true;
}

function facet(pipeline: unknown, fields: Set<string>): boolean {
  return Array.isArray(pipeline) && add(fields, neededFields(pipeline as Document[]));
}

/** An inclusion ends the search: nothing but its fields goes on. */
function project(spec: unknown, fields: Set<string>): Verdict {
  if (!isDocument(spec)) return 'all';
  const values = Object.entries(spec).filter(([path]) => path !== '_id');
  const excludes = values.some(([, value]) => value === false || asNumber(value) === 0);
  if (excludes || values.length === 0) return 'all';
  fields.add('_id');
  add(fields, Object.keys(spec).map(root));
  return expression(spec, fields) ? 'done' : 'all';
}

/** Collects the field paths of an expression; false when it may read anything. */
function expression(value: unknown, fields: Set<string>): boolean {
  if (typeof value === 'string') {
    if (value.startsWith('$$')) return !/^\$\$(ROOT|CURRENT)/.test(value);
    if (value.startsWith('$')) fields.add(root(value.slice(1)));
    return true;
  }
  if (Array.isArray(value)) return value.every((item) => expression(item, fields));
  if (!isDocument(value)) return true;
  return Object.entries(value).every(([key, item]) => {
    if (key === '$literal') return true;
    return (
      key !== '$getField' &&
      !(key === '$top' || key === '$bottom' || key === '$topN' || key === '$bottomN') &&
      expression(item, fields)
    );
  });
}
