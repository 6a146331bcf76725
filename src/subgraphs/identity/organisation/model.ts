import { Schema } from 'mongoose';
import type { SwitchSettings } from '../../../auth/index.ts';
import type { LogMode } from '../../../directory/memory.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { limitMembers } from '../../limits/schema.ts';
import type { StoredLimits } from '../../limits/stored.ts';
import type { LimitOwner } from '../../limits/to-limit.ts';
import type { LogExportField } from '../../types.generated.ts';
import type { MetadataSchema } from '../metadata-schema.ts';

/** Members that were never set are absent, or all of them with the whole. */
export type OrganisationSettings = {
  deniedExportFields?: LogExportField[];
  allowExportOverride?: boolean;
  /** Null leaves it to the installation and to each request. */
  logMode?: LogMode | null;
  allowLogModeOverride?: boolean;
  /** What metadata of new and changed keys must be like; null wants nothing. */
  apiKeyMetadataSchema?: MetadataSchema | null;
  workspaceMetadataSchema?: MetadataSchema | null;
  savedConfigsOnly?: boolean;
  /** `<slug>/<tool>`, of which each may be `*`. */
  mcpForceApproval?: string[];
  /** Ids of the organisation's guardrails that hold for the calls of all workspaces, in their order. */
  defaultGuardrails?: { input?: string[]; output?: string[] };
} & SwitchSettings;

export type OrganisationDocument = StoredLimits & {
  _id: string;
  name: string;
  settings?: OrganisationSettings;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<OrganisationDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    settings: Schema.Types.Mixed,
    ...limitMembers,
  },
  resourceSchema('organisations'),
);

export const limitOwner = ({ _id, name }: Pick<OrganisationDocument, '_id' | 'name'>): LimitOwner => ({
  ...{ level: 'organisation', id: _id, organisationId: _id, workspaceId: null, name },
});

export const organisationModel = defineModel('Organisation', schema);
