import { Schema } from 'mongoose';
import type { ResponseFormat, RunTool, ToolResources } from '../../../runs/settings.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { Metadata } from '../members/index.ts';

/** What callers set of an assistant. */
export type AssistantMembers = {
  name: string | null;
  description: string | null;
  model: string;
  instructions: string | null;
  tools: RunTool[];
  toolResources: ToolResources | null;
  metadata: Metadata;
  temperature: number | null;
  topP: number | null;
  responseFormat: ResponseFormat;
  reasoningEffort: string | null;
};

export type AssistantDocument = AssistantMembers & {
  _id: string;
  organisationId: string;
  workspaceId: string;
  version: number;
  createdAt: Date;
  lastUpdatedAt: Date;
};

/** An assistant as it was after a change. Its id follows from the assistant's and the number of the change. */
export type AssistantVersionDocument = AssistantMembers & {
  _id: string;
  organisationId: string;
  workspaceId: string;
  assistantId: string;
  version: number;
  createdBy: string;
  createdAt: Date;
};

const members = {
  _id: String,
  organisationId: { type: String, required: true },
  workspaceId: { type: String, required: true },
  name: { type: String, default: null },
  description: { type: String, default: null },
  model: { type: String, required: true },
  instructions: { type: String, default: null },
  tools: { type: Schema.Types.Mixed, default: [] },
  toolResources: { type: Schema.Types.Mixed, default: null },
  metadata: { type: Schema.Types.Mixed, default: {} },
  temperature: { type: Number, default: null },
  topP: { type: Number, default: null },
  responseFormat: { type: Schema.Types.Mixed, default: 'auto' },
  reasoningEffort: { type: String, default: null },
  version: { type: Number, required: true },
};

const schema = new Schema<AssistantDocument>(members, resourceSchema('assistants'));
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
// A file that is deleted leaves these lists.
schema.index({ 'toolResources.code_interpreter.file_ids': 1 }, { sparse: true });

export const assistantModel = defineModel('Assistant', schema);

const versionSchema = new Schema<AssistantVersionDocument>(
  {
    ...members,
    assistantId: { type: String, required: true },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { ...resourceSchema('assistant_versions'), timestamps: false },
);
versionSchema.index({ assistantId: 1, version: -1 });

export const assistantVersionModel = defineModel('AssistantVersion', versionSchema);
