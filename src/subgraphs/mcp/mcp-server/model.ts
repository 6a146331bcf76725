import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

export type McpServerDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  slug: string;
  name: string;
  description: string | null;
  mcpIntegrationId: string;
  status: 'active' | 'archived';
  ownerId: string;
  /** What holds for users without an entry of their own. */
  defaultUserAccess: 'allow' | 'deny';
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<McpServerDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    mcpIntegrationId: { type: String, required: true },
    status: { type: String, default: 'active' },
    ownerId: { type: String, required: true },
    defaultUserAccess: { type: String, default: 'allow' },
  },
  resourceSchema('mcp_servers'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
schema.index({ organisationId: 1, mcpIntegrationId: 1 });
indexSorts(schema);
indexSorts(schema, 'workspace');

export const mcpServerModel = defineModel('McpServer', schema);
