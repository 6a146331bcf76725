import { GatewayError } from '../../errors/index.ts';
import { emptyPlan } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { callTarget } from '../call-target.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { targetIdentity } from '../strategy/breaker/index.ts';
import { walk } from '../strategy/walk.ts';
import { namesProvider } from '../target/named-provider.ts';
import { listModels, wantsCatalogue } from './list-models.ts';
import { requireUnread } from './nitro-mode.ts';
import { refuseManaged } from './refuse-managed.ts';
import { useWorkspaceDefault } from './resolve-config.ts';
import type { Step } from './step.ts';

/** Answers the call: the workspace's own model catalogue, or what the plan's targets say. */
export const route: Step = (call, dependencies) => {
  // What asks for a WebSocket never comes here.
  if (call.route.endpoint === 'realtime') throw new GatewayError('UPGRADE_REQUIRED');
  refuseManaged(call);
  if (call.route.endpoint === 'models' && wantsCatalogue(call)) return listModels(call, dependencies);
  if (call.plan === emptyPlan && !namesProvider(call)) return byWorkspaceDefault(call, dependencies);
  return walkPlan(call, dependencies);
};

async function byWorkspaceDefault(call: Call, dependencies: DataplaneDependencies): Promise<void> {
  await useWorkspaceDefault(call, dependencies);
  requireUnread(call);
  await walkPlan(call, dependencies);
}

function walkPlan(call: Call, dependencies: DataplaneDependencies): Promise<unknown> {
  const { plan, savedConfig, key } = call;
  const { breakers, sticky, random, openCalls } = dependencies;
  const isWatched = savedConfig !== null && plan.kind === 'group' && plan.hasBreakers;
  const health = isWatched
    ? breakers.of(savedConfig.id, key.principal.organisationId, (leaf) => targetIdentity(leaf, call))
    : null;
  openCalls.enter(key.principal);
  call.isOpen = true;
  return walk(plan, {
    call,
    callTarget: (leaf, accept) => callTarget(leaf, accept, call, dependencies),
    health,
    sticky,
    random,
  });
}
