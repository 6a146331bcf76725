import { Schema } from 'mongoose';
import type { ApiKeyType, Scope } from '../../../auth/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

/** What a request made with the key gets when it does not say otherwise; member names as on the wire. */
export type ApiKeyDefaults = {
  metadata?: Record<string, string>;
  /** Id or slug of a config of the key's workspace, as the administrator wrote it. */
  config_id?: string;
  /** False refuses requests that bring a config of their own. */
  allow_config_override?: boolean;
};

/** A secret that a rotation has replaced. */
export type PreviousSecret = {
  /** `Secrets.hash`, as `secretHash`. */
  hash: string;
  /** Until then it works beside the new one. */
  expiresAt: Date;
};

export type ApiKeyDocument = {
  _id: string;
  organisationId: string;
  /** Null for organisation-wide keys. */
  workspaceId: string | null;
  /** Whom a workspace-user key stands for. */
  userId: string | null;
  type: ApiKeyType;
  name: string;
  description: string | null;
  /** `Secrets.hash` of the key: the only form in which it is kept. */
  secretHash: string;
  secretMask: string;
  /** Of the last rotation; absent before the first. */
  previousSecret?: PreviousSecret;
  lastRotatedAt?: Date;
  scopes: Scope[];
  defaults: ApiKeyDefaults | null;
  expiresAt: Date | null;
  /** As stored; a key past `expiresAt` is expired whatever stands here. */
  status: 'active';
  creationMode: 'api' | 'ui' | 'auto';
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<ApiKeyDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    userId: { type: String, default: null },
    type: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    secretHash: { type: String, required: true },
    secretMask: { type: String, required: true },
    previousSecret: { type: { hash: String, expiresAt: Date }, _id: false, default: undefined },
    lastRotatedAt: Date,
    scopes: { type: [String], required: true },
    defaults: { type: Schema.Types.Mixed, default: null },
    expiresAt: { type: Date, default: null },
    status: { type: String, default: 'active' },
    creationMode: { type: String, default: 'api' },
  },
  resourceSchema('api_keys'),
);
schema.index({ secretHash: 1 }, { unique: true });
schema.index({ 'previousSecret.hash': 1 }, { unique: true, sparse: true });
indexSorts(schema);
indexSorts(schema, 'workspace');

export const apiKeyModel = defineModel('ApiKey', schema);
