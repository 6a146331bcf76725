import { WORKSPACE_DEFAULT } from '../../directory/memory.ts';
import { emptyPlan } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { namesProvider } from '../target/named-provider.ts';
import type { CallStep } from './call-step.ts';
import { wantsCatalogue } from './list-models.ts';
import { requireUnread } from './nitro-mode.ts';
import { useSaved } from './resolve-config.ts';

/** The default config of the workspace, for a call that would otherwise have no provider to go to. */
export const useWorkspaceDefault: CallStep = (call, dependencies) => {
  if (call.plan !== emptyPlan || namesProvider(call) || wantsCatalogue(call)) return;
  return byDefault(call, dependencies);
};

async function byDefault(call: Call, { directory }: DataplaneDependencies): Promise<void> {
  const config = await directory.configs.get(`${call.workspaceId}/${WORKSPACE_DEFAULT}`);
  if (config) useSaved(call, config);
  // Only now is it known what the plan asks of the body.
  requireUnread(call);
}
