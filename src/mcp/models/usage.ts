import { isObject, type JsonObject } from '../../lib/json.ts';

/** The last answer with the usage of all of them. */
export function withUsage(answer: JsonObject, all: readonly JsonObject[]): JsonObject {
  const usages = all.flatMap(({ usage }) => (isObject(usage) ? [usage] : []));
  return usages.length < 2 ? answer : { ...answer, usage: usages.reduce(sum) };
}

/** Counts are added, member by member; of everything else the later one counts. */
function sum(one: JsonObject, other: JsonObject): JsonObject {
  const total: JsonObject = { ...one, ...other };
  for (const [name, value] of Object.entries(one)) {
    const later = other[name];
    if (typeof value === 'number' && (typeof later === 'number' || later === undefined))
      total[name] = value + (later ?? 0);
    else if (isObject(value) && isObject(later)) total[name] = sum(value, later);
  }
  return total;
}
