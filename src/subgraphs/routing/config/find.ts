import type { Connection } from 'mongoose';
import { requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { type ConfigDocument, configModel } from './model.ts';

export const configNotFound = () => new GatewayError('NOT_FOUND', { message: 'The config does not exist.' });

const idOrSlug = (id: string) => ({ $or: [{ _id: id }, { slug: id }] });

/** The config that a workspace means by an id or slug; null when it has none. */
export const configIn = (
  db: Connection,
  { organisationId, workspaceId }: { organisationId: string; workspaceId: string },
  id: string,
): Promise<ConfigDocument | null> =>
  configModel(db)
    .findOne({ organisationId, workspaceId, ...idOrSlug(id) })
    .lean<ConfigDocument>();

/** A config that the caller may act on with this scope. */
export async function requireConfig(
  context: GraphContext,
  id: string,
  scope: string,
): Promise<ConfigDocument> {
  const principal = requireScope(context.principal, [scope]);
  const found = await configModel(context.db)
    .findOne({ ...tenantFilter(principal), ...idOrSlug(id) })
    .lean<ConfigDocument>();
  if (!found) throw configNotFound();
  return found;
}
