import type { Binary } from 'mongodb';
import { Schema, type SchemaDefinition } from 'mongoose';
import { defineModel, resourceSchema } from '../../storage/model.ts';

export const CACHE_COLLECTION = 'cache_entries';

/** An answer that is kept, of one credential of one workspace. */
export type CacheEntry = {
  /** Hash of everything that the answer depends on, the tenant and the credential first of all. */
  _id: string;
  organisationId: string;
  workspaceId: string;
  /** The whole answer as JSON, compressed with Zstandard. */
  body: Binary;
  createdAt: Date;
  expiresAt: Date;
  /** Hash of all but the question, where the answer may be found by likeness; else null. */
  partition: string | null;
  /** The question's embedding: 32-bit floats of unit length. */
  vector: Binary | null;
};

const schema = new Schema<CacheEntry>(
  {
    _id: String,
    organisationId: String,
    workspaceId: String,
    body: Schema.Types.Mixed,
    createdAt: Date,
    expiresAt: Date,
    partition: { type: String, default: null },
    vector: { type: Schema.Types.Mixed, default: null },
  } satisfies Record<keyof CacheEntry, unknown> as SchemaDefinition<CacheEntry>,
  { ...resourceSchema(CACHE_COLLECTION), timestamps: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
schema.index(
  { partition: 1, createdAt: -1 },
  { partialFilterExpression: { partition: { $type: 'string' } } },
);

export const cacheEntryModel = defineModel('CacheEntry', schema);
