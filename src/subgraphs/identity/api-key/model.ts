import { type Connection, Schema } from 'mongoose';
import type { ApiKeyType, Scope } from '../../../auth/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { limitMembers } from '../../limits/schema.ts';
import type { StoredLimits } from '../../limits/stored.ts';
import type { LimitOwner } from '../../limits/to-limit.ts';
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

/** When a key gets a new secret by itself. */
export type RotationPolicy = {
  rotationPeriod: 'weekly' | 'monthly' | null;
  rotationPeriodDays: number | null;
  nextRotationAt: Date;
  /** Milliseconds for which the secret before works beside the new one. */
  keyTransitionPeriodMs: number;
  /** The first rotation: the others are whole periods after it, however late each of them was. */
  beginsAt: Date;
};

/** A rotation that people and programs are still to be told of. */
export type RotationNews = { at: Date; worksUntil: Date; byPolicy: boolean };

export type ApiKeyDocument = StoredLimits & {
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
  rotationPolicy: RotationPolicy | null;
  /** `Secrets.encrypt` of a secret that a policy made, until somebody fetches it. */
  unseenSecret?: string;
  rotationNews?: RotationNews;
  /** Who is told by mail of rotations and of the coming expiry. */
  alertEmails: string[];
  /** When they, and programs outside, are told next of the expiry; null for never. */
  nextNoticeAt: Date | null;
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
    rotationPolicy: {
      type: {
        rotationPeriod: String,
        rotationPeriodDays: Number,
        nextRotationAt: Date,
        keyTransitionPeriodMs: Number,
        beginsAt: Date,
      },
      _id: false,
      default: null,
    },
    unseenSecret: String,
    rotationNews: { type: { at: Date, worksUntil: Date, byPolicy: Boolean }, _id: false, default: undefined },
    alertEmails: { type: [String], default: [] },
    nextNoticeAt: { type: Date, default: null },
    scopes: { type: [String], required: true },
    defaults: { type: Schema.Types.Mixed, default: null },
    expiresAt: { type: Date, default: null },
    status: { type: String, default: 'active' },
    creationMode: { type: String, default: 'api' },
    ...limitMembers,
  },
  resourceSchema('api_keys'),
);
schema.index({ secretHash: 1 }, { unique: true });
schema.index({ 'previousSecret.hash': 1 }, { unique: true, sparse: true });
// What is due, which is looked for every second; few keys are in these.
schema.index({ 'rotationPolicy.nextRotationAt': 1 }, { sparse: true });
schema.index({ 'rotationNews.at': 1 }, { sparse: true });
schema.index({ nextNoticeAt: 1 });
indexSorts(schema);
indexSorts(schema, 'workspace');

export const limitOwner = (key: ApiKeyDocument): LimitOwner => ({
  level: 'api_key',
  id: key._id,
  organisationId: key.organisationId,
  workspaceId: key.workspaceId,
  name: key.name,
  alertEmails: key.alertEmails ?? [],
});

export const apiKeyModel = defineModel('ApiKey', schema);

/** Those of the ids that keys still have. */
export const existingKeys = (db: Connection, ids: string[]): Promise<string[]> =>
  apiKeyModel(db).distinct('_id', { _id: { $in: ids } });
