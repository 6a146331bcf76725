import { type Leaf, leavesOf, type Plan, type TargetGroup } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import { factsOf } from '../call/facts.ts';
import type { Health } from './breaker/index.ts';
import { openPlaces } from './open-places.ts';

/** Where a call would go, as far as one target has a part in it. */
export type Forecast = {
  leaf: Leaf;
  /** 1 where the call may go first, 2 where it goes after a failure there, and so on; null where it never goes. */
  turn: number | null;
  /** Chance, from 0 to 1, that the call goes here when that turn comes. */
  share: number;
  /** One sentence for each decision on the way, from the outermost group in; each begins with the path of its group. */
  reasons: readonly string[];
};

type ForecastCall = Pick<Call, 'metadata' | 'body' | 'headers' | 'path'>;
type Given = { call: ForecastCall; health: Pick<Health, 'isOpen'> | null };
type Way = Omit<Forecast, 'leaf' | 'turn'> & { turn: number };

/** What `walk` would make of a plan, without calling anybody: every leaf, in the order of the config. */
export const forecast = (plan: Plan, given: Given): Forecast[] =>
  visit(plan, { turn: 1, share: 1, reasons: [] }, given);

function visit(plan: Plan, way: Way, given: Given): Forecast[] {
  if (plan.kind === 'leaf') return [{ leaf: plan, ...way }];
  const ways = modes[plan.mode](plan, way, given);
  const found: Forecast[] = [];
  /** Turns that the targets before this one take, where they come one after another. */
  let turn = way.turn;
  for (const [place, target] of plan.targets.entries()) {
    const { share, reason } = ways[place] as Decision;
    const reasons = [...way.reasons, `${plan.path}: ${reason}`];
    if (share === null) {
      found.push(...leavesOf(target).map((leaf) => ({ leaf, turn: null, share: 0, reasons })));
      continue;
    }
    const below = visit(target, { turn, share: way.share * share, reasons }, given);
    if (plan.mode === 'fallback') turn = Math.max(turn, ...below.map((each) => each.turn ?? 0)) + 1;
    found.push(...below);
  }
  return found;
}

/** `share`: null for a target that the call does not go to. */
type Decision = { share: number | null; reason: string };
type Decide = (group: TargetGroup, way: Way, given: Given) => Decision[];

const CIRCUIT_OPEN: Decision = { share: null, reason: 'a circuit breaker keeps calls from this target' };

const fallback: Decide = (group, _way, given) => {
  const open = openPlaces(group, given);
  const statuses = group.onStatusCodes ? [...group.onStatusCodes].join(', ') : 'other than 2xx';
  return group.places.map((place) => {
    if (!open.includes(place)) return CIRCUIT_OPEN;
    if (place === open[0]) return { share: 1, reason: 'the first in the order' };
    if (statuses === '') return { share: null, reason: 'no status counts as a failure' };
    return { share: 1, reason: `the next in the order, after a status ${statuses}` };
  });
};

const loadbalance: Decide = (group, _way, given) => {
  const open = openPlaces(group, given);
  const weightOf = (place: number) => group.weights[place] ?? 0;
  const sum = open.reduce((total, place) => total + weightOf(place), 0);
  const kept = group.sticky ? '; a caller stays where it was sent first' : '';
  return group.places.map((place) => {
    if (!open.includes(place)) return CIRCUIT_OPEN;
    const weight = weightOf(place);
    if (weight === 0) return { share: null, reason: 'its weight is 0' };
    return { share: weight / sum, reason: `weight ${weight} of ${sum}${kept}` };
  });
};

const single: Decide = (group, _way, given) => {
  const [first] = openPlaces(group, given);
  return group.places.map((place) =>
    place === first
      ? { share: 1, reason: 'the first target' }
      : { share: null, reason: 'mode single calls the first target alone' },
  );
};

const conditional: Decide = (group, _way, { call }) => {
  const facts = factsOf(call);
  const index = group.conditions.findIndex(({ test }) => test?.(facts));
  const condition = group.conditions[index];
  const name = condition?.then ?? group.fallbackName;
  const chosen = name === null ? undefined : group.byName.get(name);
  const why = condition ? `condition ${index + 1} holds` : 'no condition holds, so the default is taken';
  return group.places.map((place) =>
    place === chosen ? { share: 1, reason: why } : { share: null, reason: 'another target is chosen' },
  );
};

const modes: Record<TargetGroup['mode'], Decide> = { single, fallback, loadbalance, conditional };
