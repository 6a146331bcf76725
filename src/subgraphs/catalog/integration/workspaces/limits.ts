import type { GraphContext } from '../../../context.ts';
import { bindEdits } from '../../../limits/edited.ts';
import { parseLimits } from '../../../limits/given.ts';
import { resetUsage } from '../../../limits/reset.ts';
import type { StoredLimits } from '../../../limits/stored.ts';
import { type LimitOwner, limitsOf } from '../../../limits/to-limit.ts';
import type { UpdateIntegrationWorkspacesInput } from '../../../types.generated.ts';
import { providerModel } from '../../provider/index.ts';
import { entryOf, entryOwner, type IntegrationDocument, type WorkspaceAccess } from '../model.ts';

type WorkspaceEntry = IntegrationDocument['workspaces'][number];
type NamedEntry = NonNullable<UpdateIntegrationWorkspacesInput['workspaces']>[number] & {
  workspaceId: string;
};

/** The entry that a workspace gets, with the limits of the one that it has where none are given. */
export function entryWith(
  { now }: Pick<GraphContext, 'now'>,
  given: NamedEntry,
  present: StoredLimits | undefined,
  index: number,
): WorkspaceEntry {
  const { workspaceId, enabled } = given;
  const limits = parseLimits(given, present ?? {}, now(), `input.workspaces[${index}]`);
  return { workspaceId, enabled, ...limitsIn(present), ...limits };
}

/** What holds for workspaces without an entry, changed by what is given. */
export function globalWith(
  { now }: Pick<GraphContext, 'now'>,
  given: NonNullable<UpdateIntegrationWorkspacesInput['globalWorkspaceAccess']>,
  present: WorkspaceAccess,
): WorkspaceAccess {
  const limits = parseLimits(given, present, now(), 'input.globalWorkspaceAccess');
  return { ...limitsIn(present), enabled: given.enabled, ...limits };
}

/** An entry, and as whom its counters know it. */
export type ShownEntry = WorkspaceEntry & { owner: LimitOwner };

/** The first of the workspaces that have an entry of their own. */
export const shownEntries = (integration: IntegrationDocument, limit: number): ShownEntry[] =>
  integration.workspaces
    .slice(0, limit)
    .map((entry) => ({ ...entry, owner: entryOwner(integration, entry.workspaceId) }));

const limitsIn = ({ usageLimits, rateLimits }: StoredLimits = {}): StoredLimits => ({
  ...(usageLimits && { usageLimits }),
  ...(rateLimits && { rateLimits }),
});

/**
 * Brings the counters of workspaces to the amounts that they have now, and sets back those of `resetting`. Workspaces without
 * an entry have counters where they have a provider.
 */
export async function followWorkspaceLimits(
  context: GraphContext,
  before: IntegrationDocument,
  after: IntegrationDocument,
  resetting: readonly string[],
): Promise<void> {
  const { _id: integrationId, organisationId } = after;
  const limitsFor = (integration: IntegrationDocument, workspaceId: string) =>
    limitsOf(entryOwner(integration, workspaceId), entryOf(integration, workspaceId));
  const served: string[] = await providerModel(context.db).distinct('workspaceId', {
    organisationId,
    integrationId,
  });
  for (const workspaceId of served) {
    await bindEdits(context, limitsFor(before, workspaceId), limitsFor(after, workspaceId));
    if (resetting.includes(workspaceId)) await resetUsage(context, limitsFor(after, workspaceId));
  }
}
