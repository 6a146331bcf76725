import { GatewayError } from '../../errors/index.ts';
import { callTarget } from '../call-target.ts';
import { emptyPlan } from '../config/plan.ts';
import { refuseManaged } from '../managed.ts';
import { listModels } from '../models.ts';
import type { Step } from '../step.ts';
import { walk } from '../strategy/walk.ts';
import { headerProvider } from '../target.ts';

/** Answers the call: the workspace's own model catalogue, or what the plan's targets say. */
export const route: Step = (call, dependencies) => {
  // What asks for a WebSocket never comes here.
  if (call.route.endpoint === 'realtime') throw new GatewayError('UPGRADE_REQUIRED');
  refuseManaged(call);
  const namesProvider = call.plan !== emptyPlan || headerProvider(call) !== null;
  const wantsCatalogue = call.headers['x-gateway-fetch-integrated-models'] === 'true';
  if (call.route.endpoint === 'models' && (!namesProvider || wantsCatalogue))
    return listModels(call, dependencies);
  return walk(call.plan, call, (leaf, accept) => callTarget(leaf, accept, call, dependencies)).then(
    () => undefined,
  );
};
