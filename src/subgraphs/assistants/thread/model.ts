import { Schema } from 'mongoose';
import type { ToolResources } from '../../../runs/settings.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { Metadata } from '../members/index.ts';

export type ThreadDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  toolResources: ToolResources;
  metadata: Metadata;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<ThreadDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    toolResources: { type: Schema.Types.Mixed, default: {} },
    metadata: { type: Schema.Types.Mixed, default: {} },
  },
  resourceSchema('threads'),
);
schema.index({ organisationId: 1, workspaceId: 1 });
schema.index({ lastUpdatedAt: 1 });
// A file that is deleted leaves these lists.
schema.index({ 'toolResources.code_interpreter.file_ids': 1 }, { sparse: true });

export const threadModel = defineModel('Thread', schema);
