import { Schema } from 'mongoose';
import { defineModel } from '../../../storage/model.ts';
import type { McpScope } from '../scopes.ts';

/** Whom a grant stands for; what they may do is looked up with each request. */
export type GrantHolder =
  | { kind: 'user'; userId: string }
  /** `secretHash`: of the key that was shown. */
  | { kind: 'key'; secretHash: string };

/** That somebody lets a client act for them at MCP servers. A grant that was taken back is deleted. */
export type McpGrantDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  /** Null for a service key. */
  userId: string | null;
  holder: GrantHolder;
  clientId: string;
  clientName: string | null;
  /** Empty for a grant without a browser. */
  redirectUri: string;
  /** What its tokens are for, as a URL. */
  resource: string;
  scopes: McpScope[];
  /** `Secrets.hash` of the code; null for a grant without one. */
  codeHash: string | null;
  /** SHA-256 of the verifier, base64url (RFC 7636). */
  codeChallenge: string | null;
  codeUsedAt: Date | null;
  /** Which refresh token is the latest; 0 before the first one. */
  generation: number;
  rotatedAt: Date | null;
  createdAt: Date;
  /** When it ends unless it is used before: with the code, or with the refresh token. */
  expiresAt: Date;
};

const schema = new Schema<McpGrantDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    userId: { type: String, default: null },
    holder: { type: Schema.Types.Mixed, required: true },
    clientId: { type: String, required: true },
    clientName: { type: String, default: null },
    redirectUri: { type: String, default: '' },
    resource: { type: String, required: true },
    scopes: { type: [String], required: true },
    codeHash: { type: String, default: null },
    codeChallenge: { type: String, default: null },
    codeUsedAt: { type: Date, default: null },
    generation: { type: Number, default: 0 },
    rotatedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mcp_grants', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ codeHash: 1 });
schema.index({ organisationId: 1, userId: 1, clientId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, userId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const mcpGrantModel = defineModel('McpGrant', schema);

/** That a text which counts once was used. */
type UsedOnce = { _id: string; until: Date };

const usedSchema = new Schema<UsedOnce>(
  { _id: String, until: { type: Date, required: true } },
  { collection: 'mcp_oauth_used', versionKey: false, autoIndex: false, autoCreate: false },
);
usedSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

export const usedOnceModel = defineModel('McpOauthUsed', usedSchema);
