import { z } from 'zod';
import { isObject, type JsonObject } from '../../../../lib/json.ts';
import { shownRateBehaviour, shownUsageBehaviour } from '../../../limits/behaviour.ts';

const usageBehaviour = ['enforcement', 'waitMs', 'unpriced', 'onStoreLoss', 'onCrash', 'onAbort'] as const;
const rateBehaviour = ['window', 'enforcement', 'waitMs', 'onStoreLoss'] as const;
const terms = ['alertThreshold', 'periodicReset', 'periodicResetDays'] as const;

export const usageSelection = `type creditLimit ${terms.join(' ')} nextUsageResetAt ${usageBehaviour.join(' ')}`;
export const rateSelection = `type unit value ${rateBehaviour.join(' ')}`;

const enforcement = z.enum(['hard', 'soft', 'observe']).optional();
const waitMs = z.int().min(0).max(60_000).optional();
const MOST_DOLLARS = 9_000_000;

/** A usage limit as documents have it. `least`: the least amount that the operations take. */
export const usageLimit = (least: number) =>
  z
    .strictObject({
      type: z.enum(['cost', 'tokens', 'requests']).default('cost'),
      creditLimit: z.number().min(least),
      alertThreshold: z.number().min(least).nullable().default(null),
      periodicReset: z.enum(['weekly', 'monthly']).nullable().default(null),
      periodicResetDays: z.int().min(1).max(365).nullable().default(null),
      enforcement,
      waitMs,
      unpriced: z.enum(['count', 'refuse']).optional(),
      onStoreLoss: z.enum(['closed', 'open']).optional(),
      onCrash: z.enum(['keep', 'return']).optional(),
      onAbort: z.enum(['progress', 'reserve']).optional(),
    })
    .superRefine(({ type, creditLimit, alertThreshold, periodicReset, periodicResetDays }, { addIssue }) => {
      const refuse = (member: string, message: string) =>
        addIssue({ code: 'custom', path: [member], message });
      for (const [member, amount] of Object.entries({ creditLimit, alertThreshold })) {
        if (amount === null) continue;
        if (type === 'cost' && amount > MOST_DOLLARS)
          refuse(member, `must be at most ${MOST_DOLLARS} US dollars`);
        if (type !== 'cost' && !Number.isSafeInteger(amount))
          refuse(member, `must be a whole number of ${type}`);
      }
      if (alertThreshold !== null && alertThreshold >= creditLimit)
        refuse('alertThreshold', `must be less than creditLimit, which is ${creditLimit}`);
      if (periodicReset !== null && periodicResetDays !== null)
        refuse('periodicResetDays', 'and periodicReset exclude each other');
    })
    .transform(usageDocument);

/** A rate limit as documents have it. `least`: the least value that the operations take; `units`: those that they take. */
export const rateLimit = (least: number, units: readonly string[]) =>
  z
    .strictObject({
      type: z.enum(['requests', 'tokens']),
      unit: z.enum(units),
      value: z.int().min(least),
      window: z.enum(['bucket', 'calendar']).optional(),
      enforcement,
      waitMs,
      onStoreLoss: z.enum(['closed', 'local', 'open']).optional(),
    })
    .transform(rateDocument);

export const rateUnits = ['rps', 'rpm', 'rph', 'rpd', 'rpw'];

/** One of each type, and one of each type and unit. */
export const usageLimits = z
  .array(usageLimit(1))
  .max(3)
  .superRefine(requireOneOfEach)
  .transform((limits) => sorted(limits))
  .default([]);
export const rateLimits = z
  .array(rateLimit(0, rateUnits))
  .max(10)
  .superRefine(requireOneOfEach)
  .transform((limits) => sorted(limits))
  .default([]);
export const oneUsageLimit = usageLimit(1).nullable().default(null);

function requireOneOfEach(limits: JsonObject[], { addIssue }: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, limit] of limits.entries()) {
    const name = nameOf(limit);
    if (seen.has(name))
      addIssue({ code: 'custom', path: [index], message: `there is a limit of ${name.trim()} before it` });
    seen.add(name);
  }
}

const nameOf = ({ type, unit = '' }: JsonObject): string => `${type} ${unit}`;
const sorted = (limits: JsonObject[]): JsonObject[] =>
  limits.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));

/** A limit with the members alone that are not as they would be without being named. */
export function usageDocument(limit: JsonObject): JsonObject {
  const { type, creditLimit } = limit;
  const said = shownUsageBehaviour({ enforcement: (limit.enforcement ?? undefined) as never });
  const usual = { ...said, enforcement: shownUsageBehaviour({}).enforcement };
  return {
    ...{ type, creditLimit },
    ...unusual(limit, Object.fromEntries(terms.map((name) => [name, null]))),
    ...unusual(limit, usual),
  };
}

export function rateDocument(limit: JsonObject): JsonObject {
  const { type, unit, value } = limit;
  const of = { type: type as 'requests' };
  const said = shownRateBehaviour({ ...of, enforcement: (limit.enforcement ?? undefined) as never });
  const usual = { ...said, enforcement: shownRateBehaviour(of).enforcement };
  return { ...{ type, unit, value }, ...unusual(limit, usual) };
}

const unusual = (limit: JsonObject, usual: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys(usual).flatMap((name) =>
      limit[name] === undefined || limit[name] === usual[name] ? [] : [[name, limit[name]]],
    ),
  );

export const usageDocuments = (shown: unknown): JsonObject[] =>
  sorted((shown as JsonObject[]).map(usageDocument));
export const rateDocuments = (shown: unknown): JsonObject[] =>
  sorted((shown as JsonObject[]).map(rateDocument));
export const usageDocumentOrNone = (shown: unknown): JsonObject | null =>
  isObject(shown) ? usageDocument(shown) : null;

/**
 * A usage limit as operations take it. `shown`: what the graph answers for those that there are; days of the same length are
 * counted from where they are counted now, which documents do not say.
 */
export function usageInput(limit: JsonObject, shown: readonly JsonObject[]): JsonObject {
  const before = shown.find(({ type }) => type === limit.type);
  const goesOn =
    limit.periodicResetDays !== undefined && before?.periodicResetDays === limit.periodicResetDays;
  return goesOn ? { ...limit, nextUsageResetAt: before?.nextUsageResetAt } : limit;
}

/** The limits of a new owner that takes one usage limit. */
export const givenLimits = ({ usageLimits: usage, rateLimits: rates }: JsonObject): JsonObject => ({
  ...(usage !== null && { usageLimits: usage }),
  ...((rates as []).length > 0 && { rateLimits: rates }),
});

/** The limits of such an owner that a write has changed. `node`: what the graph answers for it. */
export const changedLimits = (
  spec: JsonObject,
  changed: ReadonlySet<string>,
  node: JsonObject,
): JsonObject => ({
  ...(changed.has('usageLimits') && {
    usageLimits:
      spec.usageLimits === null
        ? null
        : usageInput(spec.usageLimits as JsonObject, isObject(node.usageLimits) ? [node.usageLimits] : []),
  }),
  ...(changed.has('rateLimits') && { rateLimits: spec.rateLimits }),
});

/** All members of a policy's limit: those that a document does not name go back to what holds without them. */
export const wholeUsage = ({ type: _fixed, ...limit }: JsonObject): JsonObject => ({
  ...Object.fromEntries([...terms, 'nextUsageResetAt', ...usageBehaviour].map((name) => [name, null])),
  ...limit,
});

export const wholeRate = ({ type: _fixed, ...limit }: JsonObject): JsonObject => ({
  ...Object.fromEntries(rateBehaviour.map((name) => [name, null])),
  ...limit,
});
