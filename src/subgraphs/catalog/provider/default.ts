import { GatewayError } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { orAlreadyExists } from '../../writes.ts';
import { providerModel } from './model.ts';

type Place = { workspaceId: string; slug: string };
type Integration = { _id: string; organisationId: string; name: string };

/** Refuses the first place whose slug is taken in its workspace; to be called before anything is changed. */
export async function requireFreeSlugs(
  context: GraphContext,
  organisationId: string,
  places: readonly Place[],
): Promise<void> {
  if (places.length === 0) return;
  const taken = await providerModel(context.db)
    .findOne({ organisationId, $or: places.map(({ workspaceId, slug }) => ({ workspaceId, slug })) })
    .lean<{ slug: string }>();
  if (!taken) return;
  throw new GatewayError('ALREADY_EXISTS', {
    message: `A provider with the slug ${taken.slug} already exists in the workspace.`,
    param: 'input.defaultProviderSlug',
  });
}

/** Makes the providers through which workspaces use an integration that was just made for or shared with them. */
export async function createDefaultProviders(
  context: GraphContext,
  integration: Integration,
  places: readonly Place[],
): Promise<void> {
  if (places.length === 0) return;
  await orAlreadyExists(
    providerModel(context.db).insertMany(
      places.map(({ workspaceId, slug }) => ({
        _id: uuid(),
        organisationId: integration.organisationId,
        workspaceId,
        slug,
        name: integration.name,
        integrationId: integration._id,
      })),
    ),
  );
  await context.changes.publish('provider');
}
