import type { Limit } from '../../limits/limit.ts';
import type { LimitFacts, LimitIndexes } from '../../limits/match/index.ts';
import type { Call } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { countIn } from '../limits/count-in.ts';
import type { CallStep } from './call-step.ts';

/**
 * Counts the call by the limits that are known before its body is read: rates of requests are taken, and a budget that is
 * spent refuses the call. Without any limit it is one look at an empty list.
 */
export const limitArrival: CallStep = (call, dependencies) => {
  const found = dependencies.directory.limitsOf(call.workspaceId);
  if (found instanceof Promise) return found.then((limits) => arrive(call, limits, dependencies));
  return arrive(call, found, dependencies);
};

function arrive(
  call: Call,
  limits: readonly Limit[],
  dependencies: DataplaneDependencies,
): undefined | Promise<unknown> {
  const own = call.key.limits;
  if (limits.length === 0 && own.length === 0) return;
  const indexes = limits.length === 0 ? null : dependencies.limiting.indexesOf(limits);
  if (indexes instanceof Promise) return indexes.then((made) => count(call, made, dependencies));
  return count(call, indexes, dependencies);
}

function count(
  call: Call,
  indexes: LimitIndexes | null,
  dependencies: DataplaneDependencies,
): undefined | Promise<unknown> {
  const limits = { indexes, facts: factsOf(call), taken: [], held: [], counted: [] };
  call.limits = limits;
  const { engine } = dependencies.limiting;
  const counters = [
    ...call.key.limits.map((limit) => engine.counterOf(limit, '', {})),
    ...(indexes?.arrival?.matching(limits.facts) ?? []).map(({ limit, valueKey, values }) =>
      engine.counterOf(limit, valueKey, values),
    ),
  ];
  return countIn(call, limits, counters, dependencies.limiting);
}

function factsOf({ key, workspaceId, route }: Call): LimitFacts {
  return {
    api_key: key.principal.id,
    workspace_id: workspaceId,
    organisation_id: key.principal.organisationId,
    endpoint_type: route.endpoint,
    config: '',
    prompt: '',
    model: '',
    virtual_key: '',
    provider: '',
    mcp_server: '',
    mcp_tool: '',
    metadata: {},
  };
}
