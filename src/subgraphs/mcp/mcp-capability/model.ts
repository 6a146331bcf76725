import { Schema } from 'mongoose';
import type {
  CapabilityDocument,
  CapabilityType,
  CatalogueDocument,
} from '../../../mcp/catalogue/documents.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

/** That an MCP server keeps a capability of its integration from its callers, or not. */
export type McpSwitch = {
  _id: string;
  organisationId: string;
  mcpServerId: string;
  type: CapabilityType;
  /** As in the capability. */
  key: string;
  enabled: boolean;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const capabilitySchema = new Schema<CapabilityDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    mcpIntegrationId: { type: String, required: true },
    type: { type: String, required: true },
    name: { type: String, required: true },
    key: { type: String, required: true },
    position: { type: Number, required: true },
    definition: { type: String, required: true },
    hash: { type: String, required: true },
    previousHash: { type: String, default: null },
    definitionChangedAt: { type: Date, default: null },
    enabled: { type: Boolean, default: true },
    isQuarantined: { type: Boolean, default: false },
    suspicious: { type: String, default: null },
    hidden: { type: String, default: null },
    missingSince: { type: Date, default: null },
    unseenSince: { type: Date, default: null },
  },
  resourceSchema('mcp_capabilities'),
);
capabilitySchema.index({ mcpIntegrationId: 1, type: 1, key: 1 }, { unique: true });
capabilitySchema.index({ organisationId: 1, mcpIntegrationId: 1, type: 1, position: 1, _id: 1 });

const catalogueSchema = new Schema<CatalogueDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    revision: { type: Number, default: 0 },
    syncStatus: { type: String, default: 'pending' },
    syncError: { type: String, default: null },
    lastSyncedAt: { type: Date, default: null },
    nextSyncAt: { type: Date, required: true },
    server: { type: Schema.Types.Mixed as never, default: null },
    protocolVersion: { type: String, default: null },
    era: { type: String, default: null },
    eraAt: { type: Date, default: null },
    capabilityFlags: { type: String, default: '{}' },
    instructions: { type: String, default: null },
    instructionsHash: { type: String, default: null },
    areInstructionsHeld: { type: Boolean, default: false },
  },
  resourceSchema('mcp_catalogues'),
);
catalogueSchema.index({ nextSyncAt: 1 });

const switchSchema = new Schema<McpSwitch>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    mcpServerId: { type: String, required: true },
    type: { type: String, required: true },
    key: { type: String, required: true },
    enabled: { type: Boolean, required: true },
  },
  resourceSchema('mcp_switches'),
);
switchSchema.index({ mcpServerId: 1, type: 1, key: 1 }, { unique: true });

export const mcpCapabilityModel = defineModel('McpCapability', capabilitySchema);
export const mcpCatalogueModel = defineModel('McpCatalogue', catalogueSchema);
export const mcpSwitchModel = defineModel('McpSwitch', switchSchema);
