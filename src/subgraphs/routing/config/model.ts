import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

/** A gateway config as an administrator wrote it, secrets sealed (`sealing.ts`). */
export type StoredConfig = Record<string, unknown>;

export type ConfigDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  /** `pc-…`: what requests name. */
  slug: string;
  name: string;
  config: StoredConfig;
  /** Ids of the guardrails that it names, at any depth, for each phase; absent in configs of versions without guardrails. */
  inputGuardrailIds?: string[];
  outputGuardrailIds?: string[];
  /** The version that `config` is. */
  versionId: string;
  /** 1 on at most one config of a workspace. */
  isDefault: 0 | 1;
  status: 'active' | 'archived';
  ownerId: string;
  updatedBy: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

export type ConfigVersionDocument = {
  /** The version id. */
  _id: string;
  configId: string;
  organisationId: string;
  workspaceId: string;
  /** Counts from 1; two racing updates may share a number, never an id. */
  number: number;
  name: string;
  config: StoredConfig;
  createdBy: string;
  createdAt: Date;
};

const schema = new Schema<ConfigDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    config: { type: Schema.Types.Mixed, required: true },
    inputGuardrailIds: { type: [String], default: undefined },
    outputGuardrailIds: { type: [String], default: undefined },
    versionId: { type: String, required: true },
    isDefault: { type: Number, default: 0 },
    status: { type: String, default: 'active' },
    ownerId: { type: String, required: true },
    updatedBy: { type: String, required: true },
  },
  resourceSchema('configs'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
indexSorts(schema);
indexSorts(schema, 'workspace');
for (const ids of ['inputGuardrailIds', 'outputGuardrailIds'])
  schema.index({ organisationId: 1, [ids]: 1 }, { partialFilterExpression: { [ids]: { $exists: true } } });
schema.index({ workspaceId: 1, isDefault: 1 }, { unique: true, partialFilterExpression: { isDefault: 1 } });

const versionSchema = new Schema<ConfigVersionDocument>(
  {
    _id: String,
    configId: { type: String, required: true },
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    number: { type: Number, required: true },
    name: { type: String, required: true },
    config: { type: Schema.Types.Mixed, required: true },
    createdBy: { type: String, required: true },
  },
  { ...resourceSchema('config_versions'), timestamps: { createdAt: 'createdAt', updatedAt: false } },
);
versionSchema.index({ organisationId: 1, configId: 1, createdAt: -1, _id: -1 });
versionSchema.index({ organisationId: 1, configId: 1, number: -1 });

export const configModel = defineModel('Config', schema);
export const configVersionModel = defineModel('ConfigVersion', versionSchema);
