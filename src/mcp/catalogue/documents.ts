/** What an MCP server offers, by the names of the API. */
export type CapabilityType = 'tool' | 'prompt' | 'resource' | 'resource_template';

export const capabilityTypes: readonly CapabilityType[] = ['tool', 'prompt', 'resource', 'resource_template'];

/** One thing that the server behind an integration offers, as it described it last. */
export type CapabilityDocument = {
  _id: string;
  organisationId: string;
  mcpIntegrationId: string;
  type: CapabilityType;
  name: string;
  /** What calls name it by: the name of a tool or prompt, the address of a resource, the template of a template. */
  key: string;
  /** Its place in the server's own order. */
  position: number;
  /** What the server wrote, as JSON text: members of a JSON Schema have names that the database has a meaning for. */
  definition: string;
  /** SHA-256 of what models read of it. */
  hash: string;
  previousHash: string | null;
  definitionChangedAt: Date | null;
  /** The integration's switch: false keeps it from every workspace. */
  enabled: boolean;
  isQuarantined: boolean;
  suspicious: string | null;
  /** Why nobody gets to see it, whatever the switches say. */
  hidden: string | null;
  missingSince: Date | null;
  /** Since when it was not among what single users see; absent or null while it is, and where all see the same. */
  unseenSince?: Date | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

export type SyncStatus = 'pending' | 'syncing' | 'success' | 'failed';

/** What an upstream says of itself; every member is its own word. */
export type ServerDescription = {
  name: string | null;
  version: string | null;
  title: string | null;
  description: string | null;
  websiteUrl: string | null;
  /** JSON text of a list. */
  icons: string;
};

/** How far the reading of an integration's server has come, and what it said of itself. */
export type CatalogueDocument = {
  /** Of the integration. */
  _id: string;
  organisationId: string;
  /** Counts up with every change of what the server offers. */
  revision: number;
  syncStatus: SyncStatus;
  syncError: string | null;
  lastSyncedAt: Date | null;
  /** From then on the server is to be read again. */
  nextSyncAt: Date;
  server: ServerDescription | null;
  protocolVersion: string | null;
  era: 'modern' | 'legacy' | null;
  eraAt: Date | null;
  /** JSON text of the capabilities that the server declares. */
  capabilityFlags: string;
  instructions: string | null;
  instructionsHash: string | null;
  /** Callers do not get the instructions: they are another text than the pinned one, or hide something. */
  areInstructionsHeld?: boolean;
  createdAt: Date;
  lastUpdatedAt: Date;
};
