import { Schema } from 'mongoose';
import { defineModel } from '../../../storage/model.ts';
import type { OauthClient } from './client.ts';

/** A client that has registered itself (RFC 7591). It belongs to no tenant: what it may do, people grant. */
export type OauthClientDocument = Omit<OauthClient, 'id'> & {
  _id: string;
  createdAt: Date;
  /** When it got a token last, or registered. */
  lastUsedAt: Date;
};

/** Seconds after its last use that a client is known. */
const UNUSED_SECONDS = 90 * 24 * 3600;

const schema = new Schema<OauthClientDocument>(
  {
    _id: String,
    name: { type: String, default: null },
    redirectUris: { type: [String], required: true },
    authMethod: { type: String, required: true },
    secretHash: { type: String, default: null },
    jwks: { type: Schema.Types.Mixed, default: null },
    jwksUri: { type: String, default: null },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, required: true },
  },
  { collection: 'mcp_oauth_clients', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ lastUsedAt: 1 }, { expireAfterSeconds: UNUSED_SECONDS });

export const oauthClientModel = defineModel('McpOauthClient', schema);

/** How many clients one network has registered in one hour. */
type RegistrationCount = { _id: string; count: number; until: Date };

const countSchema = new Schema<RegistrationCount>(
  { _id: String, count: { type: Number, required: true }, until: { type: Date, required: true } },
  { collection: 'mcp_oauth_registrations', versionKey: false, autoIndex: false, autoCreate: false },
);
countSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

export const registrationCountModel = defineModel('McpOauthRegistrationCount', countSchema);
