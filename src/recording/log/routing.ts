/** Why a target was taken, or skipped. */
export const routingReasons = [
  /** The first of a fallback's targets that may be called. */
  'first',
  /** The next one, after the target before it answered with the status `value`, or with 0 where it gave no answer. */
  'fallback',
  /** Drawn by its weight, which is `value`. */
  'weight',
  /** The caller's own place, kept or just drawn. */
  'sticky',
  /** The condition at the index `value` held. */
  'condition',
  /** No condition held. */
  'default',
  /** The one target of its group. */
  'only',
  /** Skipped: its circuit breaker keeps calls from it. */
  'circuit_open',
  /** Called again `value` times. */
  'retry',
] as const;

export type RoutingReason = (typeof routingReasons)[number];

/** `path`: of the target in the config, e.g. `config.targets[1]`. */
export type RoutingStep = { path: string; reason: RoutingReason; value: number | null };

/** A step as text: a path has neither of the marks in it. */
export const encodeStep = (path: string, reason: RoutingReason, value: number | null): string =>
  value === null ? `${path}|${reason}` : `${path}|${reason}|${value}`;

/** Steps as a log stores them: each costs some thirty bytes. */
export const encodeRouting = (steps: readonly string[]): string => steps.join(';');

export const decodeRouting = (text: string): RoutingStep[] =>
  text.split(';').map((step) => {
    const [path = '', reason, value] = step.split('|');
    return { path, reason: reason as RoutingReason, value: value === undefined ? null : Number(value) };
  });
