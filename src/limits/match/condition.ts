import type { LimitCondition } from '../limit.ts';
import { type LimitFacts, namesOf, readerOf } from './facts.ts';

/** Whether a condition holds for a call. */
export type FactTest = (facts: LimitFacts) => boolean;

/** Whether a condition holds for every call: also for one without a value, since leaving it out is no way around a limit. */
export const holdsAlways = ({ values, excludes }: LimitCondition): boolean =>
  values.includes('*') && excludes.length === 0;

export function testOf({ key, values, excludes }: LimitCondition): FactTest {
  const read = readerOf(key);
  const wanted = setOf(values);
  const unwanted = setOf(excludes);
  if (key === 'model') {
    return (facts) => {
      const names = namesOf(key, read(facts));
      return (wanted.isAll || names.some(wanted.has)) && !unwanted.isAll && !names.some(unwanted.has);
    };
  }
  return (facts) => {
    const value = read(facts);
    return (wanted.isAll || wanted.has(value)) && !unwanted.isAll && !unwanted.has(value);
  };
}

function setOf(values: readonly string[]) {
  const set = new Set(values);
  const [only] = values;
  return {
    isAll: set.has('*'),
    has: set.size === 1 ? (value: string) => value === only : (value: string) => set.has(value),
  };
}
