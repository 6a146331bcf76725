type Range<T> = { $gte?: T; $lte?: T };

/** A condition on a field between two bounds, both included; null without a bound. */
export function between<T>(min: T | null | undefined, max: T | null | undefined): Range<T> | null {
  if (min == null && max == null) return null;
  return { ...(min != null && { $gte: min }), ...(max != null && { $lte: max }) };
}

type ListFilters = {
  name?: string | null;
  createdAtMin?: Date | null;
  createdAtMax?: Date | null;
};

/** The part of a query that the filters stand for which all lists of resources have. */
export function resourceFilter({ name, createdAtMin, createdAtMax }: ListFilters) {
  const createdAt = between(createdAtMin, createdAtMax);
  return {
    ...(createdAt && { createdAt }),
    ...(name && { name: { $regex: name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' } }),
  };
}

/** The part of a query that the status of something with an expiry stands for. */
export function expiryFilter(status: 'active' | 'expired' | null | undefined, now: Date) {
  if (!status) return {};
  return { expiresAt: status === 'expired' ? { $lte: now } : { $not: { $lte: now } } };
}
