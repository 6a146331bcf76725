import type { Connection, Model, Schema, SchemaOptions } from 'mongoose';

/** Options that every resource's schema has: times under the names of the API, no version key, empty objects kept. */
export const resourceSchema = (collection: string) =>
  ({
    collection,
    timestamps: { createdAt: 'createdAt', updatedAt: 'lastUpdatedAt' },
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  }) as const satisfies SchemaOptions;

/** A model by connection, so that several apps, each with its own database, live in one process. */
export type ModelOf<T> = ((db: Connection) => Model<T>) & {
  readonly schema: Schema<T>;
  /** Names of indexes that databases may have from earlier versions: every write would keep them up for nobody. */
  readonly formerIndexes: readonly string[];
};

export const defineModel = <T>(
  name: string,
  schema: Schema<T>,
  formerIndexes: readonly string[] = [],
): ModelOf<T> => {
  const modelOf = (db: Connection) =>
    (db.models[name] ?? db.model(name, schema as unknown as Schema)) as unknown as Model<T>;
  return Object.assign(modelOf, { schema, formerIndexes });
};
