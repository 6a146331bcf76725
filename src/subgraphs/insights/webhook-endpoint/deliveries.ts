import { invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import {
  deliveryTo,
  type WebhookDeliveryDocument,
  type WebhookEndpointDocument,
  webhookDeliveryModel,
} from '../../../webhooks/index.ts';
import type { GraphContext } from '../../context.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QueryWebhookDeliveriesArgs } from '../../types.generated.ts';
import { getEndpoint, requireEndpoint } from './service.ts';

export async function listDeliveries(
  context: GraphContext,
  args: QueryWebhookDeliveriesArgs & PageArguments,
) {
  const { _id, organisationId } = await getEndpoint(context, args.endpointId);
  const { status } = args;
  return findPage<WebhookDeliveryDocument>(
    webhookDeliveryModel(context.db),
    { organisationId, endpointId: _id, ...(status && { status }) },
    args,
  );
}

export async function sendTest(context: GraphContext, id: string): Promise<WebhookDeliveryDocument> {
  const endpoint = await requireEnabled(context, id);
  const { organisationId, workspaceId } = endpoint;
  const delivery = deliveryTo(
    endpoint,
    { key: `test ${uuid()}`, event: 'test', organisationId, workspaceId, data: {} },
    context.now(),
  );
  await webhookDeliveryModel(context.db).create(delivery);
  context.webhooks.wake();
  return delivery;
}

async function requireEnabled(context: GraphContext, id: string): Promise<WebhookEndpointDocument> {
  const endpoint = await requireEndpoint(context, id, 'organisation_settings.update');
  if (!endpoint.enabled)
    throw invalidInput('id', 'Only an endpoint that is enabled is sent to; this one is switched off.');
  return endpoint;
}

/** The number of deliveries that are tried again. */
export async function retryDeliveries(
  context: GraphContext,
  id: string,
  deliveryId: string | null | undefined,
): Promise<number> {
  const { _id, organisationId } = await requireEnabled(context, id);
  const { matchedCount } = await webhookDeliveryModel(context.db).updateMany(
    { organisationId, endpointId: _id, status: 'failed', ...(deliveryId && { _id: deliveryId }) },
    { status: 'pending', attempts: 0, nextAttemptAt: context.now() },
  );
  context.webhooks.wake();
  return matchedCount;
}
