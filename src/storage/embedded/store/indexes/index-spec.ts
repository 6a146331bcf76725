import { badValue, CommandError } from '../../errors.ts';
import { checkFields, fieldTable, isTrue } from '../../fields.ts';
import { type Collation, parseCollation } from '../../query/collation.ts';
import { compileFilter, type Filter } from '../../query/filter.ts';
import { type Path, parsePath } from '../../query/path.ts';
import { asNumber, type Document, isDocument, order, typeOrder } from '../../value/types.ts';

/** An index: its definition, and what has been learnt about its entries. */
export type Index = {
  id: number;
  name: string;
  spec: Document;
  key: Document;
  paths: Path[];
  names: string[];
  descending: boolean[];
  unique: boolean;
  sparse: boolean;
  partial: Filter | null;
  /** The top-level fields that decide about a document's entries; null when any may. */
  roots: ReadonlySet<string> | null;
  expireAfterSeconds: number | null;
  collation: Collation | null;
  /** Some document has an array under a key path; it stays set. */
  multikey: boolean;
  /** Some key was a Decimal128 that a double cannot hold; it stays set. */
  lossy: boolean;
  building: boolean;
  /** Resolves when the build is over, for those who ask for the same index meanwhile. */
  built?: Promise<void>;
};

const options = fieldTable(
  'v:number key:object! name:string ns:string unique:flag sparse:flag background:flag expireAfterSeconds:number partialFilterExpression:object collation:object hidden:flag prepareUnique:flag',
);

const invalid = (message: string): CommandError => new CommandError(67, message);

/** Builds an index from a definition that has already been checked. */
export function indexFromSpec(id: number, spec: Document): Index {
  const key = spec.key as Document;
  const names = Object.keys(key);
  const collation = parseCollation(spec.collation);
  const context = collation ? { fold: collation.fold } : {};
  const paths = names.map(parsePath);
  const partial = isDocument(spec.partialFilterExpression)
    ? compileFilter(spec.partialFilterExpression, context)
    : null;
  const partialFields = partial ? partial.fields : [];
  return {
    id,
    name: String(spec.name),
    spec,
    key,
    names,
    paths,
    roots: partialFields && new Set([...paths.map((path) => path[0] as string), ...partialFields]),
    descending: names.map((name) => (asNumber(key[name]) ?? 1) < 0),
    unique: spec.unique === true || spec.name === '_id_',
    sparse: spec.sparse === true,
    partial,
    expireAfterSeconds:
      spec.expireAfterSeconds === undefined ? null : Number(asNumber(spec.expireAfterSeconds)),
    collation,
    multikey: false,
    lossy: false,
    building: false,
  };
}

/** Checks a definition as createIndexes receives it and returns the form that listIndexes shows. */
export function normaliseSpec(given: Document): Document {
  const unknown = Object.keys(given).find((option) => !options.known.has(option));
  if (unknown) throw new CommandError(197, `The field '${unknown}' is not valid for an index specification.`);
  checkFields('createIndexes.indexes', given, options);
  const key = given.key as Document;
  if (typeof given.name !== 'string' || given.name === '') {
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  }
  if (given.name === '*') throw badValue("The index name '*' is not valid.");
  checkKey(key);
  for (const option of ['hidden', 'prepareUnique'])
    if (isTrue(given[option])) throw invalid(`the index option '${option}' is not supported`);
  const version = asNumber(given.v) ?? 2;
  if (version !== 1 && version !== 2) throw invalid(`Invalid index version: ${version}`);
  const ttl = given.expireAfterSeconds;
  const fault = ttl === undefined ? null : ttlFault(key, ttl);
  if (fault) throw new CommandError('_id' in key ? 197 : 67, fault);
  if (isTrue(given.sparse) && given.partialFilterExpression !== undefined) {
    throw invalid('cannot mix "partialFilterExpression" and "sparse" options');
  }
  const spec: Document = { v: version, key, name: given.name };
  if (isTrue(given.unique)) spec.unique = true;
  if (isTrue(given.sparse)) spec.sparse = true;
  if (isTrue(given.background)) spec.background = true;
  if (ttl !== undefined) spec.expireAfterSeconds = ttl;
  if (isDocument(given.partialFilterExpression)) {
    compileFilter(given.partialFilterExpression);
    checkPartial(given.partialFilterExpression);
    spec.partialFilterExpression = given.partialFilterExpression;
  }
  const collation = parseCollation(given.collation);
  if (collation) spec.collation = collation.document;
  return spec;
}

const partialOperators = ['$eq', '$gt', '$gte', '$in', '$lt', '$lte', '$type'];

/** Refuses what a server does not take in the filter of a partial index. */
function checkPartial(filter: Document): void {
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and' || name === '$or') {
      for (const clause of condition as Document[]) checkPartial(clause);
      continue;
    }
    const operators = isDocument(condition) && Object.keys(condition)[0]?.startsWith('$') ? condition : {};
    const refused = Object.keys(operators).find(
      (operator) =>
        !partialOperators.includes(operator) && !(operator === '$exists' && isTrue(operators.$exists)),
    );
    if (refused || name.startsWith('$') || typeOrder(condition) === order.regex)
      throw invalid(`Expression not supported in partial index: ${refused ?? name}`);
  }
}

function checkKey(key: Document): void {
  const names = Object.keys(key);
  if (names.length === 0) throw invalid('Index keys cannot be an empty object.');
  if (names.length > 32) throw new CommandError(13103, 'too many compound keys');
  for (const name of names) {
    const direction = key[name];
    if (name.includes('$**')) throw invalid('wildcard indexes are not supported');
    if (name === '' || name.split('.').includes(''))
      throw invalid('Index keys cannot contain an empty field.');
    if (name.split('.').some((part) => part.startsWith('$'))) {
      throw invalid(`Index key contains an illegal field name: field name starts with '$'.`);
    }
    if (typeof direction === 'string') {
      throw invalid(
        ['text', 'hashed', '2d', '2dsphere'].includes(direction)
          ? `${direction} indexes are not supported`
          : `Unknown index plugin '${direction}'`,
      );
    }
    if (!asNumber(direction)) {
      throw invalid(`Values in v:2 index key pattern cannot be of this type or zero: ${name}`);
    }
  }
}

/** Why documents cannot expire by an index with this key after so many seconds; null when they can. */
export function ttlFault(key: Document, ttl: unknown): string | null {
  const seconds = asNumber(ttl) ?? -1;
  if (!(seconds >= 0 && seconds <= 2147483647))
    return `TTL index 'expireAfterSeconds' option must be within an acceptable range, got ${String(ttl)}`;
  if (Object.keys(key).length > 1)
    return 'TTL indexes are single-field indexes, compound indexes do not support TTL.';
  return '_id' in key ? "The field 'expireAfterSeconds' is not valid for an _id index." : null;
}
