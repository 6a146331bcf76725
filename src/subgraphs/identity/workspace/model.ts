import { Schema } from 'mongoose';
import type { LogMode } from '../../../directory/memory.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';
import type { LogExportField } from '../../types.generated.ts';

/** Members that are absent or null are the organisation's. */
export type WorkspaceSettings = { deniedExportFields?: LogExportField[] | null; logMode?: LogMode | null };

export type WorkspaceDefaults = {
  metadata?: Record<string, string>;
  /** Id or slug of the config that user keys take as their default when they are made without one. */
  user_api_key_config?: string;
};

export type WorkspaceDocument = {
  _id: string;
  organisationId: string;
  slug: string;
  name: string;
  description: string | null;
  defaults: WorkspaceDefaults | null;
  isDefault: number;
  status: 'active' | 'archived';
  settings?: WorkspaceSettings;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<WorkspaceDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    defaults: { type: Schema.Types.Mixed, default: null },
    isDefault: { type: Number, default: 0 },
    status: { type: String, default: 'active' },
    settings: Schema.Types.Mixed,
  },
  resourceSchema('workspaces'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
indexSorts(schema);

export const workspaceModel = defineModel('Workspace', schema);
