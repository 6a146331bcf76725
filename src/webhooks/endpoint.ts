import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../storage/model.ts';

/** What programs outside can be told of. */
export const webhookEvents = [
  'limit_threshold',
  'limit_exhausted',
  'limit_reset',
  'limit_overshoot',
  'limit_abandoned',
  'api_key_rotated',
  'api_key_expiring',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** An address that is told of events. */
export type WebhookEndpointDocument = {
  _id: string;
  organisationId: string;
  /** Null: it hears of all workspaces, and of what belongs to none. */
  workspaceId: string | null;
  name: string;
  url: string;
  events: WebhookEvent[];
  /** False: nothing is written for it or sent to it. */
  enabled: boolean;
  /** The endpoint answered 410: it wants nothing any more. */
  goneAt: Date | null;
  /** `Secrets.encrypt` of what signs. */
  sealed: string;
  /** The secret before, which signs as well until it ends. */
  previous: { sealed: string; endsAt: Date } | null;
  createdBy: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<WebhookEndpointDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    name: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    enabled: { type: Boolean, default: true },
    goneAt: { type: Date, default: null },
    sealed: { type: String, required: true },
    previous: { type: { sealed: String, endsAt: Date }, default: null, _id: false },
    createdBy: { type: String, required: true },
  },
  resourceSchema('webhook_endpoints'),
);
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });

export const webhookEndpointModel = defineModel('WebhookEndpoint', schema);
