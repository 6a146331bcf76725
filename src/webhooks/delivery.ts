import { Schema } from 'mongoose';
import { defineModel } from '../storage/model.ts';
import { type Outgoing, outgoingFields } from '../storage/outgoing.ts';
import type { WebhookEvent } from './endpoint.ts';

/** One event on its way to one endpoint. */
export type WebhookDeliveryDocument = Outgoing & {
  organisationId: string;
  workspaceId: string | null;
  endpointId: string;
  event: WebhookEvent | 'test';
  /** The event and its endpoint; whatever reports the event again meets the index. */
  key: string;
  /** The body, as it is signed and sent. */
  payload: string;
  /** Of the latest try; null where there was no answer. */
  responseStatus: number | null;
  createdAt: Date;
  /** Then the store removes it. */
  expiresAt: Date;
};

const schema = new Schema<WebhookDeliveryDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    endpointId: { type: String, required: true },
    event: { type: String, required: true },
    key: { type: String, required: true },
    payload: { type: String, required: true },
    ...outgoingFields,
    responseStatus: { type: Number, default: null },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'webhook_deliveries', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);
schema.index({ key: 1 }, { unique: true });
schema.index({ status: 1, nextAttemptAt: 1 });
schema.index({ endpointId: 1, status: 1, nextAttemptAt: 1 });
schema.index({ organisationId: 1, endpointId: 1, createdAt: -1, _id: -1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const webhookDeliveryModel = defineModel('WebhookDelivery', schema);
