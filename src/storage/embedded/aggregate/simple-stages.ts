import { CommandError } from '../errors.ts';
import { Sorter } from '../plan/sorter.ts';
import { compileFilter } from '../query/filter.ts';
import { keyReader, parseSort } from '../query/sort.ts';
import { withoutField, withValueAt } from '../value/ordered.ts';
import { asNumber, type Document, expectDocument, isDocument, typeName } from '../value/types.ts';
import { eachBatch, roughSize, type Stage, type StageContext } from './stage.ts';

export function matchStage(filter: unknown, { collation, variables }: StageContext): Stage {
  const source = expectDocument(filter, 15959, 'the match filter must be an expression in an object');
  const { test } = compileFilter(source, { variables, ...(collation ? { fold: collation.fold } : {}) });
  return eachBatch((batch) => batch.filter(test));
}

/** `$limit` and `$skip` take whole numbers. */
export function wholeNumber(value: unknown, stage: string, least: number): number {
  const number = asNumber(value);
  if (number !== null && Number.isInteger(number) && number >= least) return number;
  throw new CommandError(
    stage === '$limit' ? 15958 : 5107200,
    `invalid argument to ${stage} stage: Expected a ${least > 0 ? 'positive' : 'non-negative'} number in: ${stage}: ${String(value)}`,
  );
}

export function limitStage(spec: unknown): Stage {
  const limit = wholeNumber(spec, '$limit', 1);
  return async function* (source) {
    let left = limit;
    for await (const batch of source) {
      yield batch.length > left ? batch.slice(0, left) : batch;
      left -= batch.length;
      if (left <= 0) return;
    }
  };
}

export function skipStage(spec: unknown): Stage {
  const skip = wholeNumber(spec, '$skip', 0);
  return async function* (source) {
    let left = skip;
    for await (const batch of source) {
      yield left === 0 ? batch : batch.slice(left);
      left = Math.max(0, left - batch.length);
    }
  };
}

/** `limit` comes from a `$limit` that follows directly, so that no more documents need to be kept. */
export function sortStage(sort: unknown, limit: number, context: StageContext): Stage {
  const fields = parseSort(sort);
  if (fields.length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
  const fold = context.collation?.fold;
  const read = keyReader(fields, fold);
  return async function* (source) {
    const sorter = new Sorter<Document>(fields, limit, fold);
    try {
      for await (const batch of source)
        for (const document of batch) sorter.add(read(document), document, roughSize(document));
      yield* sorter.batches();
    } finally {
      sorter.release();
    }
  };
}

export function countStage(name: unknown): Stage {
  if (typeof name !== 'string' || name === '' || name.startsWith('$') || name.includes('.'))
    throw new CommandError(40156, 'the count field must be a non-empty string without $ and .');
  return async function* (source) {
    let count = 0;
    for await (const batch of source) count += batch.length;
    if (count > 0) yield [{ [name]: count }];
  };
}

export function unwindStage(spec: unknown): Stage {
  const options: Document = typeof spec === 'string' ? { path: spec } : isDocument(spec) ? spec : {};
  const {
    path,
    preserveNullAndEmptyArrays: keepEmpty = false,
    includeArrayIndex: index,
    ...others
  } = options;
  const [unknown] = Object.keys(others);
  if (unknown) throw new CommandError(28811, `unrecognized option to $unwind stage: ${unknown}`);
  if (typeof keepEmpty !== 'boolean')
    throw new CommandError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind');
  if (index !== undefined && (typeof index !== 'string' || index === ''))
    throw new CommandError(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind');
  if (index?.startsWith('$'))
    throw new CommandError(28822, "includeArrayIndex option to $unwind should not be prefixed with a '$'");
  if (typeof path !== 'string')
    throw new CommandError(28808, `expected a string as the path for $unwind stage, got ${typeName(path)}`);
  if (!path.startsWith('$') || path.length < 2)
    throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const parts = path.slice(1).split('.');
  const indexed = (document: Document, position: number | null): Document =>
    typeof index === 'string' ? withValueAt(document, index.split('.'), position) : document;
  const unwind = (document: Document): Document[] => {
    const value = valueAt(document, parts);
    if (Array.isArray(value) && value.length > 0)
      return value.map((item, i) => indexed(withValueAt(document, parts, item), i));
    if (Array.isArray(value)) return keepEmpty ? [indexed(withoutValueAt(document, parts), null)] : [];
    return keepEmpty || (value !== undefined && value !== null) ? [indexed(document, null)] : [];
  };
  return eachBatch((batch) => batch.flatMap(unwind));
}

function valueAt(document: Document, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, part) => (isDocument(value) ? value[part] : undefined), document);
}

function withoutValueAt(document: Document, path: readonly string[]): Document {
  const inner = valueAt(document, path.slice(0, -1)) as Document;
  const without = withoutField(inner, path.at(-1) as string);
  return path.length === 1 ? without : withValueAt(document, path.slice(0, -1), without);
}
