import type { EntityMap } from '../entity-map.ts';
import { driverOptions } from '../options.ts';
import { RunnerError } from '../problems.ts';

/** Every option that some operation of the driver takes; what is not here would be ignored without a word. */
const knownOptions = new Set([
  'aggregationOptions',
  'allowDiskUse',
  'allowPartialResults',
  'arrayFilters',
  'authorizedDatabases',
  'background',
  'batchSize',
  'bucketSize',
  'bypassDocumentValidation',
  'capped',
  'changeStreamPreAndPostImages',
  'chunkSizeBytes',
  'clusteredIndex',
  'collation',
  'comment',
  'commitQuorum',
  'cursorType',
  'defaultLanguage',
  'dropTarget',
  'encryptedFields',
  'expireAfterSeconds',
  'explain',
  'filter',
  'forceServerObjectId',
  'hidden',
  'hint',
  'index',
  'indexOptionDefaults',
  'let',
  'limit',
  'max',
  'maxAwaitTimeMS',
  'maxTimeMS',
  'metadata',
  'min',
  'name',
  'nameOnly',
  'noCursorTimeout',
  'ordered',
  'partialFilterExpression',
  'pipeline',
  'projection',
  'rawData',
  'readConcern',
  'readPreference',
  'returnDocument',
  'returnKey',
  'revision',
  'session',
  'showRecordId',
  'singleBatch',
  'size',
  'skip',
  'sort',
  'sparse',
  'storageEngine',
  'timeoutMode',
  'timeoutMS',
  'timeseries',
  'unique',
  'upsert',
  'validationAction',
  'validationLevel',
  'validator',
  'verboseResults',
  'version',
  'viewOn',
  'wildcardProjection',
  'writeConcern',
]);

/** The arguments of an operation: what its method takes by position is taken, the rest are options. */
export class Arguments {
  readonly #left: Record<string, unknown>;

  constructor(given: object, entities: EntityMap) {
    this.#left = driverOptions(given, entities);
  }

  /** An argument that must be there, unless a fallback is given. */
  take<T>(name: string, fallback?: T): T {
    const value = this.#left[name] ?? fallback;
    if (value === undefined) throw new RunnerError(`The argument "${name}" is missing.`);
    delete this.#left[name];
    return value as T;
  }

  /** Everything not yet taken, as options of the driver. */
  options(): object {
    const unknown = Object.keys(this.#left).filter((name) => !knownOptions.has(name));
    if (unknown.length > 0) throw new RunnerError(`Unknown argument: ${unknown.join(', ')}.`);
    return this.#left;
  }

  /** Everything not yet taken, as fields of a command. */
  fields(): Record<string, unknown> {
    return this.#left;
  }
}
