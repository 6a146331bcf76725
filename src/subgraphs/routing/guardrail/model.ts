import { Schema } from 'mongoose';
import type { GuardrailDefinition } from '../../../guardrails/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

export type GuardrailDocument = {
  _id: string;
  organisationId: string;
  /** Null for one of the organisation. */
  workspaceId: string | null;
  slug: string;
  name: string;
  /** As somebody wrote them, credentials sealed (`sealing.ts`). */
  checks: GuardrailDefinition['checks'];
  actions: GuardrailDefinition['actions'];
  /** Slugs of the secret references that `checks` name. */
  secretReferences: string[];
  /** The version that `checks` and `actions` are. */
  versionId: string;
  status: 'active' | 'archived';
  ownerId: string;
  updatedBy: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

export type GuardrailVersionDocument = Pick<
  GuardrailDocument,
  'organisationId' | 'workspaceId' | 'name' | 'checks' | 'actions' | 'createdAt'
> & {
  /** The version id. */
  _id: string;
  guardrailId: string;
  /** Counts from 1; two racing updates may share a number, never an id. */
  number: number;
  createdBy: string;
};

const content = {
  organisationId: { type: String, required: true },
  workspaceId: { type: String, default: null },
  name: { type: String, required: true },
  checks: { type: [Schema.Types.Mixed as never], required: true },
  actions: { type: Schema.Types.Mixed, required: true },
};

const schema = new Schema<GuardrailDocument>(
  {
    _id: String,
    ...content,
    slug: { type: String, required: true },
    versionId: { type: String, required: true },
    secretReferences: { type: [String], default: [] },
    status: { type: String, default: 'active' },
    ownerId: { type: String, required: true },
    updatedBy: { type: String, required: true },
  },
  resourceSchema('guardrails'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
indexSorts(schema);
indexSorts(schema, 'workspace');

const versionSchema = new Schema<GuardrailVersionDocument>(
  {
    _id: String,
    ...content,
    guardrailId: { type: String, required: true },
    number: { type: Number, required: true },
    createdBy: { type: String, required: true },
  },
  { ...resourceSchema('guardrail_versions'), timestamps: { createdAt: 'createdAt', updatedAt: false } },
);
versionSchema.index({ organisationId: 1, guardrailId: 1, createdAt: -1, _id: -1 });
versionSchema.index({ organisationId: 1, guardrailId: 1, number: -1 });

export const guardrailModel = defineModel('Guardrail', schema);
export const guardrailVersionModel = defineModel('GuardrailVersion', versionSchema);
