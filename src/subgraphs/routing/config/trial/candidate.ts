import { requireScope } from '../../../../auth/index.ts';
import type { GraphContext } from '../../../context.ts';
import { workspaceIdFor } from '../../../identity/workspace/index.ts';
import { requireConfig } from '../find.ts';
import type { ConfigDocument, StoredConfig } from '../model.ts';
import { unsealConfig } from '../sealing.ts';

/** Whose config is tried. */
export type TrialPlace = {
  organisationId: string;
  workspaceId: string;
  /** The saved config that was named, and its content in the clear. */
  saved: { config: ConfigDocument; content: StoredConfig } | null;
};

/** Finds the workspace of a trial: that of the saved config which it names, else the one it names itself. */
export async function placeOf(
  context: GraphContext,
  { configId, workspaceId }: { configId?: string | null; workspaceId?: string | null },
): Promise<TrialPlace> {
  const { organisationId } = requireScope(context.principal, ['configs.read']);
  if (configId == null)
    return { organisationId, workspaceId: await workspaceIdFor(context, workspaceId), saved: null };
  const config = await requireConfig(context, configId, 'configs.read');
  const content = unsealConfig(config.config, context.secrets, config._id);
  return { organisationId, workspaceId: config.workspaceId, saved: { config, content } };
}
