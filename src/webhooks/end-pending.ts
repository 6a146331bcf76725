import type { Connection } from 'mongoose';
import { webhookDeliveryModel } from './delivery.ts';

/** Gives up what is on its way to an endpoint. */
export async function endPending(db: Connection, endpointId: string, reason: string): Promise<void> {
  await webhookDeliveryModel(db).updateMany(
    { endpointId, status: 'pending' },
    { status: 'failed', nextAttemptAt: null, lastError: reason },
  );
}
