import { Schema } from 'mongoose';
import type { McpAuthType } from '../../../mcp/configurations/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { type SecretMapping, secretMappingSchema } from '../../catalog/secret-reference/index.ts';
import { indexSorts } from '../../order.ts';

/** Whether one workspace may use an integration, whatever holds for the others. */
export type McpWorkspaceEntry = {
  workspaceId: string;
  enabled: boolean;
  createdAt: Date;
  lastUpdatedAt: Date;
};

export type McpIntegrationDocument = {
  _id: string;
  organisationId: string;
  /** The owning workspace of a workspace-level integration; null for an organisation-level one. */
  workspaceId: string | null;
  slug: string;
  name: string;
  description: string | null;
  url: string;
  authType: McpAuthType;
  transport: 'http' | 'sse';
  /** `archived` while it is being deleted. */
  status: 'active' | 'archived';
  ownerId: string;
  /** The settings without secrets, as JSON text: claims and headers have names that the database has a meaning for. */
  configurations: string;
  /** The secrets among the settings: `Secrets.encrypt(JSON of place to text, _id)`; null for none. */
  sealedSecrets: string | null;
  secretMappings: SecretMapping[];
  /** Ids of the guardrails that the settings name. */
  guardrailIds: string[];
  /** What holds for workspaces that `workspaces` does not name, of an organisation-level integration. */
  globalWorkspaceAccess: { enabled: boolean };
  workspaces: McpWorkspaceEntry[];
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<McpIntegrationDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    url: { type: String, required: true },
    authType: { type: String, required: true },
    transport: { type: String, required: true },
    status: { type: String, default: 'active' },
    ownerId: { type: String, required: true },
    configurations: { type: String, default: '{}' },
    sealedSecrets: { type: String, default: null },
    secretMappings: { type: [secretMappingSchema], default: [] },
    guardrailIds: { type: [String], default: [] },
    globalWorkspaceAccess: { type: Schema.Types.Mixed, default: { enabled: true } },
    workspaces: { type: [Schema.Types.Mixed as never], default: [] },
  },
  resourceSchema('mcp_integrations'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
schema.index({ organisationId: 1, 'secretMappings.secretReferenceId': 1 });
schema.index({ organisationId: 1, guardrailIds: 1 });
indexSorts(schema);

export const mcpIntegrationModel = defineModel('McpIntegration', schema);
