import { compileFilter } from '../query/filter.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';

/**
 * What a stage reads: the fields it names, those in its expressions, or those of a filter. After a last one nothing
 * but its own result goes on. A stage that is not here may read anything.
 */
type Reading = { names?: true; expressions?: true; filter?: true; last?: true };

const readings: Record<string, Reading> = {
  $match: { filter: true },
  $sort: { names: true },
  $limit: {},
  $skip: {},
  $unwind: { expressions: true },
  $addFields: { names: true, expressions: true },
  $set: { names: true, expressions: true },
  $count: { last: true },
  $group: { expressions: true, last: true },
  $sortByCount: { expressions: true, last: true },
  $bucket: { expressions: true, last: true },
  $project: { names: true, expressions: true, last: true },
};

/**
 * Which top-level fields a pipeline reads, so that a scan decodes no others. Null means all of them, which is also the
 * answer whenever it is not certain.
 */
export function neededFields(pipeline: readonly Document[]): Set<string> | null {
  const fields = new Set<string>();
  for (const stage of pipeline) {
    const [[name, spec] = ['', null]] = Object.entries(stage);
    if (name === '$facet') return union(Object.values(isDocument(spec) ? spec : {}), fields);
    const reading = name === '$project' && excludes(spec) ? undefined : readings[name];
    if (!reading || !collect(reading, spec, fields)) return null;
    if (reading.last) return fields;
  }
  return null;
}

function union(pipelines: unknown[], fields: Set<string>): Set<string> | null {
  const all = pipelines.map((pipeline) => neededFields(pipeline as Document[]));
  return all.includes(null) ? null : new Set([...fields, ...all.flatMap((some) => [...(some ?? [])])]);
}

function collect(reading: Reading, spec: unknown, fields: Set<string>): boolean {
  const names = isDocument(spec) ? Object.keys(spec) : [];
  const filtered = reading.filter && isDocument(spec) ? compileFilter(spec).fields : [];
  if (filtered === null) return false;
  for (const name of filtered) fields.add(name);
  if (reading.names) for (const name of [...names, '_id']) fields.add(root(name));
  return !reading.expressions || collectPaths(spec, fields);
}

const root = (path: string): string => path.split('.')[0] ?? path;

/** An exclusion passes on every field that it does not name. */
function excludes(spec: unknown): boolean {
  const values = Object.entries(isDocument(spec) ? spec : {}).filter(([path]) => path !== '_id');
  return values.length === 0 || values.some(([, value]) => value === false || asNumber(value) === 0);
}

/** Collects the field paths of an expression; false when it may read anything. */
function collectPaths(value: unknown, fields: Set<string>): boolean {
  if (typeof value === 'string') {
    if (value.startsWith('$$')) return !/^\$\$(ROOT|CURRENT)/.test(value);
    if (value.startsWith('$')) fields.add(root(value.slice(1)));
    return true;
  }
  if (Array.isArray(value)) return value.every((item) => collectPaths(item, fields));
  if (!isDocument(value)) return true;
  return Object.entries(value).every(
    ([key, item]) => key === '$literal' || (key !== '$getField' && collectPaths(item, fields)),
  );
}
