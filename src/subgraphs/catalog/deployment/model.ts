import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';
import type { WorkspaceAllowance } from '../allowed-workspaces.ts';

export type DeploymentDocument = {
  _id: string;
  organisationId: string;
  slug: string;
  name: string;
  description: string | null;
  type: 'production' | 'non-production';
  url: string;
  mcpUrl: string | null;
  config: Record<string, unknown> | null;
  status: 'active' | 'archived';
  isDefault: boolean;
  createdBy: string;
  createdAt: Date;
  lastUpdatedAt: Date;
} & WorkspaceAllowance;

const schema = new Schema<DeploymentDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    type: { type: String, required: true },
    url: { type: String, required: true },
    mcpUrl: { type: String, default: null },
    config: { type: Schema.Types.Mixed, default: null },
    status: { type: String, default: 'active' },
    isDefault: { type: Boolean, default: false },
    allowAllWorkspaces: { type: Boolean, default: true },
    allowedWorkspaces: { type: [String], default: [] },
    createdBy: { type: String, required: true },
  },
  resourceSchema('deployments'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
indexSorts(schema);

export const deploymentModel = defineModel('Deployment', schema);
