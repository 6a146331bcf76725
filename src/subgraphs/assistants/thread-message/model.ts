import { Schema } from 'mongoose';
import type { ThreadItem } from '../../../runs/items.ts';
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
