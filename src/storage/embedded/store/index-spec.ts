import { CommandError } from '../errors.ts';
import { type Collation, parseCollation } from '../query/collation.ts';
import { compileFilter, type Filter } from '../query/filter.ts';
import { type Path, parsePath } from '../query/path.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';

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

const options = new Set([
  'v',
  'key',
  'name',
  'ns',
  'unique',
  'sparse',
  'background',
  'expireAfterSeconds',
  'partialFilterExpression',
  'collation',
]);

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
  const { key } = given;
  if (!isDocument(key)) throw new CommandError(14, "The field 'key' must be an object");
  if (typeof given.name !== 'string' || given.name === '') {
    throw new CommandError(9, "The 'name' field is a required property of an index specification");
  }
  checkKey(key);
  for (const [option, value] of Object.entries(given)) {
    if (!options.has(option)) refuseOption(option, value);
  }
  const ttl = given.expireAfterSeconds;
  if (ttl !== undefined) checkTtl(key, ttl);
  if (given.sparse === true && given.partialFilterExpression !== undefined) {
    throw invalid('cannot mix "partialFilterExpression" and "sparse" options');
  }
  const spec: Document = { v: 2, key, name: given.name };
  if (isTrue(given.unique)) spec.unique = true;
  if (isTrue(given.sparse)) spec.sparse = true;
  if (isTrue(given.background)) spec.background = true;
  if (ttl !== undefined) spec.expireAfterSeconds = ttl;
  if (given.partialFilterExpression !== undefined) {
    if (!isDocument(given.partialFilterExpression))
      throw invalid('"partialFilterExpression" must be an object');
    compileFilter(given.partialFilterExpression);
    spec.partialFilterExpression = given.partialFilterExpression;
  }
  const collation = parseCollation(given.collation);
  if (collation) spec.collation = collation.document;
  return spec;
}

const isTrue = (value: unknown): boolean => value === true || (asNumber(value) ?? 0) !== 0;

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

function checkTtl(key: Document, ttl: unknown): void {
  const seconds = asNumber(ttl);
  if (seconds === null || seconds < 0 || seconds > 2147483647) {
    throw invalid(
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, got ${String(ttl)}`,
    );
  }
  if (Object.keys(key).length > 1)
    throw invalid('TTL indexes are single-field indexes, compound indexes do not support TTL.');
  if ('_id' in key)
    throw new CommandError(
      197,
      "The field 'expireAfterSeconds' is not valid for an _id index specification.",
    );
}

function refuseOption(option: string, value: unknown): void {
  if (['hidden', 'prepareUnique'].includes(option)) {
    if (isTrue(value)) throw invalid(`the index option '${option}' is not supported`);
    return;
  }
  throw new CommandError(197, `The field '${option}' is not valid for an index specification.`);
}
