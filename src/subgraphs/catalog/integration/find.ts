import type { Connection, QueryFilter } from 'mongoose';
import type { Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { idOrSlug } from '../values.ts';
import {
  type IntegrationVerb,
  requireAnyLevel,
  requireLevel,
  usableIn,
  visibleIntegrations,
} from './access.ts';
import { type IntegrationDocument, integrationModel } from './model.ts';

export const integrationNotFound = () =>
  new GatewayError('NOT_FOUND', { message: 'The integration does not exist.' });

const findOne = (db: Connection, id: string, filter: QueryFilter<IntegrationDocument>) =>
  integrationModel(db)
    .findOne({ $and: [idOrSlug(id), filter] })
    .lean<IntegrationDocument>();

/** An integration that the caller may act on with this verb, which depends on the integration's level. */
export async function requireIntegration(
  context: GraphContext,
  id: string,
  verb: IntegrationVerb,
): Promise<{ integration: IntegrationDocument; principal: Principal }> {
  const principal = requireAnyLevel(context.principal, verb);
  const integration = await findOne(context.db, id, visibleIntegrations(principal));
  if (!integration) throw integrationNotFound();
  requireLevel(principal, integration.workspaceId, verb);
  return { integration, principal };
}

/** The active integration that a further provider of this workspace may point at; null when there is none. */
export const usableIntegration = (
  db: Connection,
  { organisationId, workspaceId }: { organisationId: string; workspaceId: string },
  id: string,
): Promise<IntegrationDocument | null> =>
  findOne(db, id, {
    organisationId,
    status: 'active',
    ofVirtualKey: { $ne: true },
    ...usableIn(workspaceId),
  });

/** Deletes the credential that a provider had alone. */
export async function deleteOwnIntegration(
  db: Connection,
  { organisationId, integrationId }: { organisationId: string; integrationId: string },
): Promise<void> {
  await integrationModel(db).deleteOne({ _id: integrationId, organisationId, ofVirtualKey: true });
}
