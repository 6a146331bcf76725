import type { Limit } from '../limit.ts';
import { type LimitStage, stageOf } from './facts.ts';
import { Frequencies } from './frequencies.ts';
import { LimitIndex } from './limit-index.ts';
import type { SeenValues } from './value-key.ts';

const order: readonly LimitStage[] = ['arrival', 'call', 'target'];

/** The latest stage of all that a limit needs to know. */
export function stageOfLimit({ conditions, groupBy }: Pick<Limit, 'conditions' | 'groupBy'>): LimitStage {
  let latest: LimitStage = 'arrival';
  for (const key of [...conditions.map((each) => each.key), ...groupBy]) {
    const stage = stageOf(key);
    if (order.indexOf(stage) > order.indexOf(latest)) latest = stage;
  }
  return latest;
}

/**
 * The limits of a workspace by when they can be found. One that is added or removed later costs no more than itself, whatever
 * the number of the others.
 */
export class LimitIndexes {
  readonly #frequencies = new Frequencies();
  readonly #indexes: Readonly<Record<LimitStage, LimitIndex>>;

  constructor(seen: SeenValues) {
    this.#indexes = {
      arrival: new LimitIndex(seen, this.#frequencies),
      call: new LimitIndex(seen, this.#frequencies),
      target: new LimitIndex(seen, this.#frequencies),
    };
  }

  /** Null where there are none, as for the others. */
  get arrival(): LimitIndex | null {
    return orNull(this.#indexes.arrival);
  }

  get call(): LimitIndex | null {
    return orNull(this.#indexes.call);
  }

  get target(): LimitIndex | null {
    return orNull(this.#indexes.target);
  }

  /** Counts what a limit names, so that those that are added find the condition by which they stand out. */
  announce(limit: Limit): void {
    this.#frequencies.add(limit);
  }

  /** `limit` was announced. */
  add(limit: Limit): void {
    this.#indexes[stageOfLimit(limit)].add(limit);
  }

  remove(limit: Limit): void {
    this.#indexes[stageOfLimit(limit)].remove(limit);
    this.#frequencies.remove(limit);
  }
}

const orNull = (index: LimitIndex): LimitIndex | null => (index.size === 0 ? null : index);
