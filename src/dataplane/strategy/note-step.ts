import { encodeStep, type RoutingReason } from '../../recording/log/routing.ts';
import type { TargetGroup } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';

/** Steps that one record says of a call, so that a config of many targets stays a short text. */
const MOST_STEPS = 100;

/** Notes why a target of a group was taken or skipped; a place that is none is an error of the walk's own. */
export function noteStep(
  call: Call,
  group: TargetGroup,
  place: number,
  reason: RoutingReason,
  value: number | null,
): void {
  const target = group.targets[place];
  if (target && call.routing.length < MOST_STEPS) call.routing.push(encodeStep(target.path, reason, value));
}
