import { invalidInput } from '../../../../errors/index.ts';
import type { GraphContext } from '../../../context.ts';
import { requireLimitSetter } from '../../../identity/api-key/index.ts';
import { workspaceIdsNamed } from '../../../identity/workspace/index.ts';
import { bringsLimits } from '../../../limits/given.ts';
import type {
  IntegrationWorkspaceInput,
  UpdateIntegrationWorkspacesInput,
} from '../../../types.generated.ts';
import { createDefaultProviders, providerModel, requireFreeSlugs } from '../../provider/index.ts';
import { changeList } from '../change-list.ts';
import { requireIntegration } from '../find.ts';
import type { IntegrationDocument } from '../model.ts';
import { entryWith, followWorkspaceLimits, globalWith } from './limits.ts';

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
  const { globalWorkspaceAccess } = input;
  if ([...entries, globalWorkspaceAccess ?? {}].some(bringsLimits)) await requireLimitSetter(context);
  const resetting = entries.flatMap(({ workspaceId, resetUsage }) => (resetUsage ? [workspaceId] : []));
  const updated = await changeList(context, integration, {
    list: 'workspaces',
    change: (current) => ({
      workspaces: mergedEntries(context, current.workspaces, entries, input),
      ...(globalWorkspaceAccess && {
        globalWorkspaceAccess: globalWith(context, globalWorkspaceAccess, current.globalWorkspaceAccess),
      }),
    }),
    written: (before, after) => followWorkspaceLimits(context, before, after, resetting),
  });
  await createDefaultProviders(context, integration, places);
  return updated;
}

function mergedEntries(
  context: GraphContext,
  present: IntegrationDocument['workspaces'],
  entries: readonly Entry[],
  { overrideExistingWorkspaceAccess }: UpdateIntegrationWorkspacesInput,
): IntegrationDocument['workspaces'] {
  const before = new Map(present.map((entry) => [entry.workspaceId, entry]));
  const merged = new Map(overrideExistingWorkspaceAccess ? [] : before);
  for (const [index, entry] of entries.entries())
    merged.set(entry.workspaceId, entryWith(context, entry, before.get(entry.workspaceId), index));
  if (merged.size > maxEntries)
    throw invalidInput('input.workspaces', `An integration lists at most ${maxEntries} workspaces.`);
  return [...merged.values()];
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
