import { CommandError } from '../errors.ts';
import { compileFilter, type Predicate } from '../query/filter.ts';
import { type KeyReader, keyReader, parseSort } from '../query/sort.ts';
import { Sorter } from '../query/sorter.ts';
import { asNumber, type Document, isDocument, typeName } from '../value/types.ts';
import { roughSize, type Stage, type StageContext } from './stage.ts';

export class MatchStage implements Stage {
  readonly #test: Predicate;

  constructor(filter: unknown, context: StageContext) {
    if (!isDocument(filter))
      throw new CommandError(15959, 'the match filter must be an expression in an object');
    const fold = context.collation?.fold;
    this.#test = compileFilter(filter, { variables: context.variables, ...(fold ? { fold } : {}) }).test;
  }

  push(batch: Document[]): Document[] {
    return batch.filter(this.#test);
  }
}

/** `$limit` and `$skip` take whole numbers. */
export function wholeNumber(value: unknown, stage: string, least: number): number {
  const number = asNumber(value);
  if (number === null || !Number.isInteger(number) || number < least) {
    const code = stage === '$limit' ? 15958 : 5107200;
    throw new CommandError(
      code,
      `invalid argument to ${stage} stage: Expected a ${least > 0 ? 'positive' : 'non-negative'} number in: ${stage}: ${String(value)}`,
    );
  }
  return number;
}

export class LimitStage implements Stage {
  #left: number;

  constructor(limit: unknown) {
    this.#left = wholeNumber(limit, '$limit', 1);
  }

  get satisfied(): boolean {
    return this.#left === 0;
  }

  push(batch: Document[]): Document[] {
    const taken = batch.slice(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}

export class SkipStage implements Stage {
  #left: number;

  constructor(skip: unknown) {
    this.#left = wholeNumber(skip, '$skip', 0);
  }

  push(batch: Document[]): Document[] {
    const skipped = Math.min(this.#left, batch.length);
    this.#left -= skipped;
    return skipped === 0 ? batch : batch.slice(skipped);
  }
}

export class SortStage implements Stage {
  readonly #sorter: Sorter<Document>;
  readonly #read: KeyReader;

  /** `limit` is that of a `$limit` right behind, so that no more needs to be kept. */
  constructor(sort: unknown, limit: number, context: StageContext) {
    const fields = parseSort(sort);
    if (fields.length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
    this.#sorter = new Sorter(fields, limit, context.collation?.fold);
    this.#read = keyReader(fields, context.collation?.fold);
  }

  push(batch: Document[]): Document[] {
    for (const document of batch) this.#sorter.add(this.#read(document), document, roughSize(document));
    return [];
  }

  finish(): Document[] {
    return [...this.#sorter.batches()].flat();
  }
}

export class CountStage implements Stage {
  readonly #name: string;
  #count = 0;

  constructor(name: unknown) {
    if (typeof name !== 'string' || name === '' || name.startsWith('$') || name.includes('.')) {
      throw new CommandError(40156, 'the count field must be a non-empty string without $ and .');
    }
    this.#name = name;
  }

  push(batch: Document[]): Document[] {
    this.#count += batch.length;
    return [];
  }

  pushCount(count: number): void {
    this.#count += count;
  }

  finish(): Document[] {
    return this.#count === 0 ? [] : [{ [this.#name]: this.#count }];
  }
}

/** A stage that changes each document by itself. */
export class MapStage implements Stage {
  readonly #change: (document: Document) => Document;

  constructor(change: (document: Document) => Document) {
    this.#change = change;
  }

  push(batch: Document[]): Document[] {
    return batch.map(this.#change);
  }
}

export class UnwindStage implements Stage {
  readonly #parts: string[];
  readonly #keepEmpty: boolean;
  readonly #indexField: string | null;

  constructor(spec: unknown) {
    const options: Document = typeof spec === 'string' ? { path: spec } : isDocument(spec) ? spec : {};
    const { path, preserveNullAndEmptyArrays, includeArrayIndex } = options;
    if (typeof path !== 'string')
      throw new CommandError(28808, `expected a string as the path for $unwind stage, got ${typeName(path)}`);
    if (!path.startsWith('$') || path.length < 2)
      throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
    this.#parts = path.slice(1).split('.');
    this.#keepEmpty = preserveNullAndEmptyArrays === true;
    this.#indexField = typeof includeArrayIndex === 'string' ? includeArrayIndex : null;
  }

  push(batch: Document[]): Document[] {
    return batch.flatMap((document) => this.#unwind(document));
  }

  #unwind(document: Document): Document[] {
    let value: unknown = document;
    for (const part of this.#parts) value = isDocument(value) ? value[part] : undefined;
    if (Array.isArray(value) && value.length > 0) {
      return value.map((item, index) => this.#with(replaceAt(document, this.#parts, item), index));
    }
    if (Array.isArray(value))
      return this.#keepEmpty ? [this.#with(removeAt(document, this.#parts), null)] : [];
    if (value === undefined || value === null) return this.#keepEmpty ? [this.#with(document, null)] : [];
    return [this.#with(document, null)];
  }

  #with(document: Document, index: number | null): Document {
    return this.#indexField === null ? document : replaceAt(document, this.#indexField.split('.'), index);
  }
}

/** A copy of the document with another value at the path. */
export function replaceAt(document: Document, parts: readonly string[], value: unknown): Document {
  const [first = '', ...rest] = parts;
  const inner = document[first];
  return {
    ...document,
    [first]: rest.length === 0 ? value : replaceAt(isDocument(inner) ? inner : {}, rest, value),
  };
}

function removeAt(document: Document, parts: readonly string[]): Document {
  const [first = '', ...rest] = parts;
  const inner = document[first];
  if (rest.length > 0) return isDocument(inner) ? { ...document, [first]: removeAt(inner, rest) } : document;
  const { [first]: _removed, ...others } = document;
  return others;
}
