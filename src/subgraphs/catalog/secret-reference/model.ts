import { Schema } from 'mongoose';
import type { SecretManagerType } from '../../../secret-managers/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';
import type { WorkspaceAllowance } from '../allowed-workspaces.ts';

export type SecretReferenceDocument = {
  _id: string;
  organisationId: string;
  slug: string;
  name: string;
  description: string | null;
  managerType: SecretManagerType;
  /** The members of the auth config that are no secrets. */
  auth: Record<string, string>;
  /** The others: `Secrets.encrypt(JSON of name to value, _id)`; null for none. */
  sealedSecrets: string | null;
  secretPath: string;
  secretKey: string | null;
  tags: Record<string, string>;
  createdBy: string;
  createdAt: Date;
  lastUpdatedAt: Date;
} & WorkspaceAllowance;

const schema = new Schema<SecretReferenceDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    managerType: { type: String, required: true },
    auth: { type: Schema.Types.Mixed, required: true },
    sealedSecrets: { type: String, default: null },
    secretPath: { type: String, required: true },
    secretKey: { type: String, default: null },
    allowAllWorkspaces: { type: Boolean, default: true },
    allowedWorkspaces: { type: [String], default: [] },
    tags: { type: Schema.Types.Mixed, default: {} },
    createdBy: { type: String, required: true },
  },
  resourceSchema('secret_references'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
indexSorts(schema);

export const secretReferenceModel = defineModel('SecretReference', schema);
