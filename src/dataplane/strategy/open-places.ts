import { GatewayError } from '../../errors/index.ts';
import type { Plan, TargetGroup } from '../../routing-config/plan.ts';
import type { Health } from './breaker/index.ts';

/** The targets that no circuit breaker keeps calls from; all targets where every one is kept from calls. */
export function openPlaces(
  group: TargetGroup,
  { health }: { health: Pick<Health, 'isOpen'> | null },
): readonly number[] {
  if (!health || !group.hasBreakers) return group.places;
  const usable = group.places.filter((place) => !isTakenOut(targetAt(group, place), health));
  // A load balancer starves a target of weight 0: alone it is as good as none.
  const isChoice =
    group.mode === 'loadbalance' ? usable.some((place) => group.weights[place]) : usable.length;
  return isChoice ? usable : group.places;
}

/** A group is taken out with the last of its targets; one with conditions never is. */
function isTakenOut(plan: Plan, health: Pick<Health, 'isOpen'>): boolean {
  if (plan.kind === 'leaf') return plan.breaker !== null && health.isOpen(plan);
  if (!plan.hasBreakers || plan.mode === 'conditional') return false;
  return plan.targets.every((target) => isTakenOut(target, health));
}

/** Throws INVALID_CONFIG where a group has no such place. */
export function targetAt(group: TargetGroup, place: number): Plan {
  const target = group.targets[place];
  if (!target)
    throw new GatewayError('INVALID_CONFIG', {
      message: 'The strategy names no target.',
      param: `${group.path}.strategy`,
    });
  return target;
}
