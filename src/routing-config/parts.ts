import { z } from 'zod';

// The objects inside a config, in their snake_case spelling.

/** Statuses that replace the default ones; an empty list means that no status counts. */
export const statusCodes = z.array(z.int().min(100).max(599)).max(100);

export const retry = z.strictObject({
  attempts: z.int().min(0).max(5),
  on_status_codes: statusCodes.optional(),
  use_retry_after_header: z.boolean().default(false),
});

const DAY = 86_400;

/** The older form of this key is the mode alone, as a string. */
export const cache = z.preprocess(
  (value) => (typeof value === 'string' ? { mode: value } : value),
  z.strictObject({
    mode: z.enum(['simple', 'semantic']),
    max_age: z
      .int()
      .min(60)
      .max(90 * DAY)
      .optional(),
    namespace: z.string().min(1).max(255).optional(),
  }),
);

export const circuitBreaker = z
  .strictObject({
    failure_threshold: z.int().min(1).max(1_000_000).optional(),
    failure_threshold_percentage: z.number().gt(0).max(100).optional(),
    minimum_requests: z.int().min(1).max(1_000_000).optional(),
    cooldown_interval: z
      .int()
      .min(30_000)
      .max(DAY * 1000),
    failure_status_codes: statusCodes.min(1).optional(),
  })
  .refine((rule) => (rule.failure_threshold ?? rule.failure_threshold_percentage) !== undefined, {
    path: ['failure_threshold'],
    message: 'a circuit breaker needs failure_threshold or failure_threshold_percentage',
  });

const sticky = z.strictObject({
  enabled: z.boolean(),
  hash_fields: z.array(z.string().min(1).max(255)).min(1).max(20),
  ttl: z
    .int()
    .min(1)
    .max(90 * DAY)
    .default(3600),
});

// biome-ignore lint/suspicious/noThenProperty: the config's own name for a condition's target
const condition = z.strictObject({ query: z.record(z.string(), z.json()), then: z.string().min(1).max(255) });

export const strategy = z
  .strictObject({
    mode: z.enum(['single', 'fallback', 'loadbalance', 'conditional']),
    on_status_codes: statusCodes.optional(),
    conditions: z.array(condition).min(1).max(100).optional(),
    default: z.string().min(1).max(255).optional(),
    sticky: sticky.optional(),
    cb_config: circuitBreaker.optional(),
  })
  .superRefine((value, context) => {
    const say = (member: string, message: string) =>
      context.addIssue({ code: 'custom', path: [member], message });
    if (value.sticky && value.mode !== 'loadbalance') say('sticky', 'sticky belongs to mode loadbalance');
    if (value.mode !== 'conditional') return;
    if (!value.conditions) say('conditions', 'mode conditional requires conditions');
    if (!value.default) say('default', 'mode conditional requires a default');
  });

export type Strategy = z.infer<typeof strategy>;
export type RetryPolicy = z.infer<typeof retry>;
export type CachePolicy = z.infer<typeof cache>;
export type CircuitBreaker = z.infer<typeof circuitBreaker>;
