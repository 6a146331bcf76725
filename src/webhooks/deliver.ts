import type { Connection } from 'mongoose';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import { signatures } from '../lib/webhook-signature.ts';
import { dueAt, type Sending, sendNext, Undelivered } from '../storage/outgoing.ts';
import type { Secrets } from '../storage/secrets.ts';
import { type WebhookDeliveryDocument, webhookDeliveryModel } from './delivery.ts';
import { endPending } from './end-pending.ts';
import { type WebhookEndpointDocument, webhookEndpointModel } from './endpoint.ts';
import { GONE, type Post } from './post.ts';

export type DeliverOptions = {
  db: Connection;
  secrets: Pick<Secrets, 'decrypt'>;
  post: Post;
  hostPolicy: HostPolicy;
  now: () => Date;
  log: Logger;
};

/** Seconds between the tries; after the eighth a delivery is given up, 28 hours after its event. */
const PAUSES = [5, 300, 1800, 7200, 18_000, 36_000, 36_000, 36_000];
/** Endpoints that are sent to at the same time. */
const LANES = 16;

/** Sends what is due. Each endpoint has a lane of its own, which ends at its first failure, so that none waits for another. */
export async function deliverDue(options: DeliverOptions, signal: AbortSignal): Promise<void> {
  const { db, now } = options;
  const enabled = await webhookEndpointModel(db).find({ enabled: true }).lean<WebhookEndpointDocument[]>();
  const due: string[] = await webhookDeliveryModel(db).distinct('endpointId', dueAt(now()));
  const endpoints = enabled.filter(({ _id }) => due.includes(_id));
  const lane = async () => {
    for (let next = endpoints.shift(); next && !signal.aborted; next = endpoints.shift())
      await sendAll(options, next, signal);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function sendAll(options: DeliverOptions, endpoint: WebhookEndpointDocument, signal: AbortSignal) {
  const { db, now, log } = options;
  const sending: Sending<WebhookDeliveryDocument> = {
    model: webhookDeliveryModel(db),
    what: 'A webhook',
    pauses: PAUSES,
    send: (delivery) => deliver(options, endpoint, delivery),
    ...{ now, log },
  };
  while (!signal.aborted && (await sendNext(sending, { endpointId: endpoint._id })) === 'sent');
}

async function deliver(
  options: DeliverOptions,
  endpoint: WebhookEndpointDocument,
  { _id, key, payload }: WebhookDeliveryDocument,
): Promise<void> {
  const { db, post, hostPolicy, now } = options;
  const { url } = endpoint;
  const problem = hostPolicy.problem(url);
  if (problem) throw new Undelivered(problem, false);
  const seconds = Math.floor(now().getTime() / 1000);
  // Every try of a delivery has the same id, by which receivers know it again.
  const signed = signatures(secretsOf(options, endpoint), { id: _id, seconds, body: payload });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Sluice-Webhooks',
    'webhook-id': _id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signed,
  };
  const status = await post(url, headers, payload);
  await webhookDeliveryModel(db).updateOne({ _id, key }, { responseStatus: status });
  if (status === GONE) {
    await webhookEndpointModel(db).updateOne({ _id: endpoint._id }, { enabled: false, goneAt: now() });
    await endPending(db, endpoint._id, 'The endpoint answered 410 to another message.');
  }
  if (status < 200 || status >= 300)
    throw new Undelivered(`the endpoint answered ${status}`, status === GONE);
}

function secretsOf(
  { secrets, now }: DeliverOptions,
  { _id, sealed, previous }: WebhookEndpointDocument,
): string[] {
  const current = secrets.decrypt(sealed, _id);
  return previous && previous.endsAt > now() ? [current, secrets.decrypt(previous.sealed, _id)] : [current];
}
