import type { Call } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { answerKept } from '../keeping/answer-kept.ts';
import { asksToKeep } from '../keeping/asks-to-keep.ts';
import { Leg } from '../leg/leg.ts';
import { chained, type LegStep, type RunLeg } from '../leg/leg-step.ts';
import { asksOwnTools } from '../own-tools/asks-own-tools.ts';
import { answerWithTools } from '../own-tools/runner.ts';
import { targetIdentity } from '../strategy/breaker/index.ts';
import { walk } from '../strategy/walk.ts';
import type { CallStep } from './call-step.ts';
import { listModels, wantsCatalogue } from './list-models.ts';

/**
 * The last step: answers the call with what a target of the plan says, with the workspace's own model catalogue, with a
 * response that the gateway keeps, or with what a model says that has tools of the gateway.
 */
export const walkTargets = (legSteps: readonly LegStep[]): CallStep => {
  const runLeg = chained(legSteps);
  return (call, dependencies) => {
    if (wantsCatalogue(call)) return listModels(call, dependencies);
    const { keepResponse, runTools } = dependencies;
    if (keepResponse && asksToKeep(call)) return answerKept(call, keepResponse);
    if (runTools && asksOwnTools(call)) return answerWithTools(call, runTools);
    return walkPlan(call, dependencies, runLeg);
  };
};

function walkPlan(call: Call, dependencies: DataplaneDependencies, runLeg: RunLeg): Promise<unknown> {
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
    callTarget: (leaf, accept) => runLeg(new Leg(call, leaf, accept), dependencies),
    health,
    sticky,
    random,
  });
}
