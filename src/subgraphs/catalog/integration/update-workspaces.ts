import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdsNamed } from '../../identity/workspace/index.ts';
import type { IntegrationWorkspaceInput, UpdateIntegrationWorkspacesInput } from '../../types.generated.ts';
import { createDefaultProviders, providerModel, requireFreeSlugs } from '../provider/index.ts';
import { changeList } from './change-list.ts';
import { requireIntegration } from './find.ts';
import type { IntegrationDocument } from './model.ts';

const maxEntries = 2000;

type Entry = IntegrationWorkspaceInput & { workspaceId: string };

/** Says which workspaces may use an organisation-level integration, and gives new ones a provider for it. */
export async function updateIntegrationWorkspaces(
  context: GraphContext,
  id: string,
  input: UpdateIntegrationWorkspacesInput,
) {
  const { integration } = await requireIntegration(context, id, 'update');
  if (integration.workspaceId !== null) {
    throw invalidInput('id', 'A workspace-level integration cannot be shared with workspaces.');
  }
  const entries = await namedEntries(context, integration.organisationId, input.workspaces ?? []);
  const places = await newProviderPlaces(context, integration, entries, input);
  await requireFreeSlugs(context, integration.organisationId, places);
  const updated = await changeList(context, integration, 'workspaces', ({ workspaces }) => {
    const kept = input.overrideExistingWorkspaceAccess ? [] : workspaces;
    const merged = new Map([...kept, ...entries].map((entry) => [entry.workspaceId, entry.enabled]));
    if (merged.size > maxEntries)
      throw invalidInput('input.workspaces', `An integration lists at most ${maxEntries} workspaces.`);
    return {
      workspaces: [...merged].map(([workspaceId, enabled]) => ({ workspaceId, enabled })),
      ...(input.globalWorkspaceAccess && {
        globalWorkspaceAccess: { enabled: input.globalWorkspaceAccess.enabled },
      }),
    };
  });
  await createDefaultProviders(context, integration, places);
  return updated;
}

async function namedEntries(
  context: GraphContext,
  organisationId: string,
  workspaces: readonly IntegrationWorkspaceInput[],
): Promise<Entry[]> {
  const idOf = await workspaceIdsNamed(
    context.db,
    organisationId,
    workspaces.map(({ id }) => id),
  );
  const seen = new Set<string>();
  return workspaces.map((entry, index) => {
    const param = `input.workspaces[${index}].id`;
    const workspaceId = idOf.get(entry.id);
    if (workspaceId === undefined)
      throw invalidInput(param, `${param} names no workspace of this organisation.`);
    if (seen.has(workspaceId)) throw invalidInput(param, `${param} names a workspace twice.`);
    seen.add(workspaceId);
    return { ...entry, workspaceId };
  });
}

/** The enabled workspaces that want a provider and have none for this integration yet, with the slugs to give them. */
async function newProviderPlaces(
  context: GraphContext,
  integration: IntegrationDocument,
  entries: readonly Entry[],
  input: UpdateIntegrationWorkspacesInput,
) {
  const wanting = entries.filter(
    ({ enabled, createDefaultProvider }) =>
      enabled && (createDefaultProvider ?? input.createDefaultProvider ?? true),
  );
  if (wanting.length === 0) return [];
  const served: string[] = await providerModel(context.db).distinct('workspaceId', {
    organisationId: integration.organisationId,
    integrationId: integration._id,
    workspaceId: { $in: wanting.map(({ workspaceId }) => workspaceId) },
  });
  return wanting
    .filter(({ workspaceId }) => !served.includes(workspaceId))
    .map(({ workspaceId, defaultProviderSlug }) => ({
      workspaceId,
      slug: defaultProviderSlug ?? input.defaultProviderSlug ?? integration.slug,
    }));
}
