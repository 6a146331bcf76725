import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import {
  endPending,
  newWebhookSecret,
  type WebhookEndpointDocument,
  webhookDeliveryModel,
  webhookEndpointModel,
} from '../../../webhooks/index.ts';
import type { GraphContext } from '../../context.ts';
import { namedWorkspaceId } from '../../identity/workspace/index.ts';
import { loaderById } from '../../loading.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { CreateWebhookEndpointInput, UpdateWebhookEndpointInput } from '../../types.generated.ts';

/** Endpoints of one organisation; the schema says so too. */
const MOST = 50;
/** For this long the former secret signs beside the new one. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The endpoint does not exist.' });

/** An endpoint that the caller may act on with this scope. */
export async function requireEndpoint(
  context: GraphContext,
  id: string,
  scope: 'organisation_settings.read' | 'organisation_settings.update',
): Promise<WebhookEndpointDocument> {
  const principal = requireScope(context.principal, [scope]);
  const found = await webhookEndpointModel(context.db)
    .findOne({ _id: id, ...tenantFilter(principal) })
    .lean<WebhookEndpointDocument>();
  if (!found) throw notFound();
  return found;
}

const endpointById = loaderById(webhookEndpointModel, tenantFilter);

/** For references from other resources: null when the endpoint is gone or out of the credential's reach. */
export async function referencedEndpoint(
  context: GraphContext,
  id: string,
): Promise<WebhookEndpointDocument | null> {
  requireScope(context.principal, ['organisation_settings.read']);
  return endpointById(context).load(id);
}

export const getEndpoint = (context: GraphContext, id: string) =>
  requireEndpoint(context, id, 'organisation_settings.read');

export async function listEndpoints(context: GraphContext, args: PageArguments) {
  const principal = requireScope(context.principal, ['organisation_settings.read']);
  return findPage(webhookEndpointModel(context.db), tenantFilter(principal), args);
}

export async function createEndpoint(
  context: GraphContext,
  { name, url, events, workspaceId }: CreateWebhookEndpointInput,
) {
  const principal = requireScope(context.principal, ['organisation_settings.update']);
  const { organisationId, userId, id } = principal;
  requireAllowed(context, url);
  const model = webhookEndpointModel(context.db);
  const own = principal.workspaceId ?? null;
  const workspace = workspaceId ? await namedWorkspaceId(context, workspaceId) : own;
  if ((await model.countDocuments({ organisationId })) >= MOST)
    throw invalidInput('input', `There are ${MOST} endpoints already: delete one first.`);
  const _id = uuid();
  const secret = newWebhookSecret();
  const created = await model.create({
    ...{ _id, organisationId, workspaceId: workspace, name, url },
    events: [...new Set(events)],
    sealed: context.secrets.encrypt(secret, _id),
    createdBy: userId ?? id,
  });
  return { endpoint: created.toObject<WebhookEndpointDocument>(), secret };
}

function requireAllowed({ webhooks }: GraphContext, url: string): void {
  const problem = webhooks.urlProblem(url);
  if (problem) throw invalidInput('input.url', `The url is not allowed: ${problem}.`);
}

export async function updateEndpoint(
  context: GraphContext,
  id: string,
  { name, url, events, enabled }: UpdateWebhookEndpointInput,
): Promise<WebhookEndpointDocument> {
  const { _id, organisationId } = await requireEndpoint(context, id, 'organisation_settings.update');
  if (url != null) requireAllowed(context, url);
  const change = {
    ...(name != null && { name }),
    ...(url != null && { url }),
    ...(events != null && { events: [...new Set(events)] }),
    ...(enabled != null && { enabled, ...(enabled && { goneAt: null }) }),
  };
  const updated = await webhookEndpointModel(context.db)
    .findOneAndUpdate({ _id, organisationId }, change, { returnDocument: 'after' })
    .lean<WebhookEndpointDocument>();
  if (!updated) throw notFound();
  if (enabled === false) await endPending(context.db, _id, 'The endpoint was switched off.');
  return updated;
}

export async function deleteEndpoint(context: GraphContext, id: string): Promise<string> {
  const { _id, organisationId } = await requireEndpoint(context, id, 'organisation_settings.update');
  await webhookEndpointModel(context.db).deleteOne({ _id, organisationId });
  await webhookDeliveryModel(context.db).deleteMany({ endpointId: _id, organisationId });
  return _id;
}

export async function rotateSecret(context: GraphContext, id: string) {
  const { _id, organisationId, sealed } = await requireEndpoint(context, id, 'organisation_settings.update');
  const secret = newWebhookSecret();
  const endsAt = new Date(context.now().getTime() + OVERLAP_MS);
  const updated = await webhookEndpointModel(context.db)
    .findOneAndUpdate(
      { _id, organisationId, sealed },
      { sealed: context.secrets.encrypt(secret, _id), previous: { sealed, endsAt } },
      { returnDocument: 'after' },
    )
    .lean<WebhookEndpointDocument>();
  // Two callers at once would each be shown a secret, and one of them would be good for nothing.
  if (!updated) throw new GatewayError('IN_PROGRESS', { message: 'The secret was rotated at this moment.' });
  return { endpoint: updated, secret };
}
