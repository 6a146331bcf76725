import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

/** What holds for one user of an MCP server, whatever its default says. */
export type McpUserEntry = {
  _id: string;
  organisationId: string;
  mcpServerId: string;
  userId: string;
  enabled: boolean;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<McpUserEntry>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    mcpServerId: { type: String, required: true },
    userId: { type: String, required: true },
    enabled: { type: Boolean, required: true },
  },
  resourceSchema('mcp_user_access'),
);
schema.index({ mcpServerId: 1, userId: 1 }, { unique: true });

export const mcpUserAccessModel = defineModel('McpUserAccess', schema);
