import { invalidInput } from '../../errors/index.ts';
import type { RateLimitInput, UsageLimitInput } from '../types.generated.ts';
import { givenBehaviour, givenRateBehaviour, requireUsageBehaviour } from './behaviour.ts';
import type { StoredLimits, StoredRateLimit, StoredUsageLimit } from './stored.ts';
import { checkedTerms } from './usage-terms.ts';

/** What an input says of limits: absent members stay as they are, null and an empty list take the limits away. */
export type GivenLimits = {
  usageLimits?: UsageLimitInput | readonly UsageLimitInput[] | null;
  rateLimits?: RateLimitInput | readonly RateLimitInput[] | null;
  /** True sets what was used to 0. */
  resetUsage?: boolean | null;
};

export const bringsLimits = ({ usageLimits, rateLimits, resetUsage }: GivenLimits): boolean =>
  usageLimits !== undefined || rateLimits !== undefined || resetUsage === true;

/** The members to store; throws VALIDATION_FAILED naming the member that does not fit. `param` is where the input stands. */
export function parseLimits(
  { usageLimits, rateLimits, resetUsage }: GivenLimits,
  present: StoredLimits,
  now: Date,
  param = 'input',
): StoredLimits {
  const usage =
    usageLimits === undefined
      ? present.usageLimits
      : each(usageLimits, `${param}.usageLimits`, (limit, at) =>
          parseUsage(limit, present.usageLimits ?? [], now, at),
        );
  const isReset = resetUsage === true && usage !== undefined;
  return {
    ...((usageLimits !== undefined || isReset) && {
      usageLimits: isReset ? usage.map((limit) => ({ ...limit, lastResetAt: now })) : usage,
    }),
    ...(rateLimits !== undefined && {
      rateLimits: each(rateLimits, `${param}.rateLimits`, (limit) =>
        parseRate(limit, present.rateLimits ?? [], now),
      ),
    }),
  };
}

type Typed = { type: string; unit?: string };

function each<Input, Stored extends Typed>(
  given: Input | readonly Input[] | null,
  param: string,
  parse: (input: Input, at: string) => Stored,
): Stored[] {
  const list = given === null ? [] : Array.isArray(given) ? (given as readonly Input[]) : [given as Input];
  const isList = Array.isArray(given);
  const seen = new Set<string>();
  return list.map((input, index) => {
    const at = isList ? `${param}[${index}]` : param;
    const stored = parse(input, at);
    const kind = stored.unit === undefined ? stored.type : `${stored.type} by ${stored.unit}`;
    if (seen.has(kind))
      throw invalidInput(at, `There is a limit of ${kind} before it: send one of each kind.`);
    seen.add(kind);
    return stored;
  });
}

function parseUsage(
  input: UsageLimitInput,
  present: readonly StoredUsageLimit[],
  now: Date,
  at: string,
): StoredUsageLimit {
  const type = input.type ?? 'cost';
  const before = present.find((limit) => limit.type === type);
  const terms = checkedTerms(
    {
      type,
      creditLimit: input.creditLimit,
      alertThreshold: input.alertThreshold ?? null,
      periodicReset: input.periodicReset ?? null,
      periodicResetDays: input.periodicResetDays ?? null,
      nextUsageResetAt: input.nextUsageResetAt ?? null,
    },
    at,
    now,
  );
  requireUsageBehaviour(input, at);
  const since = before?.since ?? now;
  const edits = before?.creditLimit === terms.creditLimit ? 0 : 1;
  return {
    ...terms,
    ...givenBehaviour(input),
    since,
    version: (before?.version ?? 0) + edits,
    lastResetAt: before?.lastResetAt ?? null,
  };
}

function parseRate(input: RateLimitInput, present: readonly StoredRateLimit[], now: Date): StoredRateLimit {
  const { type, unit, value } = input;
  const before = present.find((limit) => limit.type === type && limit.unit === unit);
  const edits = before?.value === value ? 0 : 1;
  return {
    ...{ type, unit, value, ...givenRateBehaviour(input) },
    since: before?.since ?? now,
    version: (before?.version ?? 0) + edits,
  };
}
