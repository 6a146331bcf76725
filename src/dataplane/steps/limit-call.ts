import { countIn } from '../limits/count-in.ts';
import type { CallStep } from './call-step.ts';

/** Counts the call by the limits that are about its metadata, config or prompt. */
export const limitCall: CallStep = (call, { limiting }) => {
  const { limits } = call;
  if (limits === null) return;
  limits.facts.metadata = call.metadata;
  limits.facts.config = call.savedConfig?.slug ?? '';
  const index = limits.indexes?.call ?? null;
  if (index === null) return;
  const counters = index
    .matching(limits.facts)
    .map(({ limit, valueKey, values }) => limiting.engine.counterOf(limit, valueKey, values));
  return countIn(call, limits, counters, limiting);
};
