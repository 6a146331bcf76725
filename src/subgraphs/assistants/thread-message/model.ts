import { type Connection, type Model, Schema } from 'mongoose';
import type { KeptItem, ThreadItem } from '../../../runs/items.ts';
import { defineModel } from '../../../storage/model.ts';

const schema = new Schema<ThreadItem>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    threadId: { type: String, required: true },
    runId: { type: String, default: null },
    kind: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  {
    collection: 'thread_items',
    strict: false,
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  },
);
schema.index({ threadId: 1, kind: 1, createdAt: 1, _id: 1 });
schema.index({ runId: 1 });
schema.index({ organisationId: 1, workspaceId: 1 });

export const threadItemModel = defineModel('ThreadItem', schema);

/** The items of responses and conversations, which lie in the same collection. */
export const keptItemModel = (db: Connection): Model<KeptItem> =>
  threadItemModel(db) as unknown as Model<KeptItem>;
