import type { Resolvers } from '../resolvers.generated.ts';
import { listDeliveries, retryDeliveries, sendTest } from './deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from './service.ts';

export const resolvers = {
  Query: {
    webhookEndpoint: (_parent, { id }, context) => getEndpoint(context, id),
    webhookEndpoints: (_parent, args, context) => listEndpoints(context, args),
    webhookDeliveries: (_parent, args, context) => listDeliveries(context, args),
  },
  Mutation: {
    createWebhookEndpoint: (_parent, { input }, context) => createEndpoint(context, input),
    updateWebhookEndpoint: (_parent, { id, input }, context) => updateEndpoint(context, id, input),
    deleteWebhookEndpoint: (_parent, { id }, context) => deleteEndpoint(context, id),
    rotateWebhookSecret: (_parent, { id }, context) => rotateSecret(context, id),
    sendTestWebhook: (_parent, { id }, context) => sendTest(context, id),
    retryWebhookDeliveries: (_parent, { id, deliveryId }, context) =>
      retryDeliveries(context, id, deliveryId),
  },
  WebhookEndpoint: {
    id: ({ _id }) => _id,
    formerSecretEndsAt: ({ previous }, _args, { now }) =>
      previous && previous.endsAt > now() ? previous.endsAt : null,
  },
  WebhookDelivery: { id: ({ _id }) => _id },
} satisfies Resolvers;
