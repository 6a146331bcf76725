import type { Connection } from 'mongoose';
import { uuid } from '../lib/ids.ts';
import { isDuplicateBatch } from '../storage/duplicates.ts';
import { type WebhookDeliveryDocument, webhookDeliveryModel } from './delivery.ts';
import { type WebhookEndpointDocument, type WebhookEvent, webhookEndpointModel } from './endpoint.ts';

/** Something that programs outside are told of. */
export type WebhookMessage = {
  /** Names what happened, the same for whoever reports it again: each endpoint is told once. */
  key: string;
  event: WebhookEvent | 'test';
  organisationId: string;
  workspaceId: string | null;
  /** JSON without secrets, its members in snake_case. */
  data: Record<string, unknown>;
};

/** Days for which deliveries are kept, sent or not. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Writes a delivery for each endpoint that wants the event. */
export async function writeDeliveries(db: Connection, message: WebhookMessage, at: Date): Promise<void> {
  const { organisationId, workspaceId, event } = message;
  const endpoints = await webhookEndpointModel(db)
    .find({
      organisationId,
      workspaceId: { $in: workspaceId === null ? [null] : [null, workspaceId] },
      enabled: true,
      events: event as WebhookEvent,
    })
    .lean<WebhookEndpointDocument[]>();
  if (endpoints.length === 0) return;
  // Unordered: a delivery that is there already keeps no other one out.
  await webhookDeliveryModel(db)
    .insertMany(
      endpoints.map((endpoint) => deliveryTo(endpoint, message, at)),
      { ordered: false },
    )
    .catch((error: unknown) => {
      if (!isDuplicateBatch(error)) throw error;
    });
}

export function deliveryTo(
  { _id: endpointId }: Pick<WebhookEndpointDocument, '_id'>,
  { key, event, organisationId, workspaceId, data }: WebhookMessage,
  at: Date,
): WebhookDeliveryDocument {
  return {
    ...{ _id: uuid(), organisationId, workspaceId, endpointId, event },
    key: `${key} ${endpointId}`,
    payload: JSON.stringify({
      type: event,
      timestamp: at.toISOString(),
      data: { organisation_id: organisationId, workspace_id: workspaceId, ...data },
    }),
    ...{ status: 'pending', attempts: 0, nextAttemptAt: at, lastError: null, sentAt: null },
    ...{ responseStatus: null, createdAt: at },
    expiresAt: new Date(at.getTime() + KEPT_DAYS * DAY_MS),
  };
}
