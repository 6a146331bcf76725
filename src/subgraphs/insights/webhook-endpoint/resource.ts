import { webhookDeliveryModel, webhookEndpointModel } from '../../../webhooks/index.ts';
import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';
import { referencedEndpoint } from './service.ts';

export const webhookEndpoint: Resource = {
  name: 'webhook-endpoint',
  models: [webhookEndpointModel, webhookDeliveryModel],
  resolvers,
  references: { WebhookEndpoint: ({ id }, context) => referencedEndpoint(context, id) },
};
