import type { Connection } from 'mongoose';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import { createDuty, type Duty } from '../storage/duty.ts';
import type { Leases } from '../storage/leases.ts';
import { dueAt } from '../storage/outgoing.ts';
import type { Secrets } from '../storage/secrets.ts';
import { deliverDue } from './deliver.ts';
import { webhookDeliveryModel } from './delivery.ts';
import { posting } from './post.ts';
import { type WebhookMessage, writeDeliveries } from './write.ts';

export { newWebhookSecret } from '../lib/webhook-signature.ts';
export { type WebhookDeliveryDocument, webhookDeliveryModel } from './delivery.ts';
export { endPending } from './end-pending.ts';
export {
  type WebhookEndpointDocument,
  type WebhookEvent,
  webhookEndpointModel,
  webhookEvents,
} from './endpoint.ts';
export { deliveryTo, type WebhookMessage } from './write.ts';

type Options = {
  db: Connection;
  secrets: Secrets;
  /** Connections that judge addresses. */
  send: typeof fetch;
  hostPolicy: HostPolicy;
  leases: Leases;
  now: () => Date;
  log: Logger;
};

export type Webhooks = {
  /** Resolves when the message is durable for every endpoint that wants it; a process sends it soon after. */
  publish(message: WebhookMessage): Promise<void>;
  /** Looks for deliveries now. */
  wake(): void;
  /** Why this address cannot be an endpoint, or null. */
  urlProblem(url: string): string | null;
};

/** Tells programs outside what happens: what waits in the database, and what sends it. */
export function createWebhooks({ send, ...options }: Options): Webhooks & Pick<Duty, 'start' | 'stop'> {
  const { db, now } = options;
  const post = posting(send);
  const duty = createDuty({
    ...options,
    name: 'webhooks',
    isDue: async () => (await webhookDeliveryModel(db).exists(dueAt(now()))) !== null,
    work: (signal) => deliverDue({ ...options, post }, signal),
  });
  return {
    ...duty,
    urlProblem: options.hostPolicy.problem,
    async publish(message) {
      await writeDeliveries(db, message, now());
      duty.wake();
    },
  };
}
