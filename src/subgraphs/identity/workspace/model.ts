import { Schema } from 'mongoose';
import type { SetSwitches } from '../../../auth/index.ts';
import type { LogMode } from '../../../directory/memory.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { limitMembers } from '../../limits/schema.ts';
import type { StoredLimits } from '../../limits/stored.ts';
import type { LimitOwner } from '../../limits/to-limit.ts';
import { indexSorts } from '../../order.ts';
import type { LogExportField } from '../../types.generated.ts';

/** Members that are absent or null are the organisation's. */
export type WorkspaceSettings = {
  deniedExportFields?: LogExportField[] | null;
  logMode?: LogMode | null;
  switches?: SetSwitches | null;
};

export type WorkspaceDefaults = {
  metadata?: Record<string, string>;
  /** Id or slug of the config that user keys take as their default when they are made without one. */
  user_api_key_config?: string;
  /** Ids or slugs of the workspace's guardrails that hold for all of its calls, in their order. */
  input_guardrails?: string[];
  output_guardrails?: string[];
};

export type WorkspaceDocument = StoredLimits & {
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
    ...limitMembers,
  },
  resourceSchema('workspaces'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
indexSorts(schema);

export const limitOwner = ({
  _id,
  organisationId,
  slug,
}: Pick<WorkspaceDocument, '_id' | 'organisationId' | 'slug'>): LimitOwner => ({
  level: 'workspace',
  id: _id,
  organisationId,
  workspaceId: _id,
  name: slug,
});

export const workspaceModel = defineModel('Workspace', schema);
