import { grownCache } from '../../lib/grown-cache.ts';
import type { Limit } from '../limit.ts';
import { compileLimits, updateLimits } from './compile.ts';
import type { LimitIndexes } from './limit-indexes.ts';
import type { SeenValues } from './value-key.ts';

/** Workspaces of which the indexes are kept. */
const WORKSPACES = 20_000;

type Compiled = { limits: readonly Limit[]; indexes: LimitIndexes | Promise<LimitIndexes> };

/**
 * The indexes of lists of limits. A list takes over the indexes of the one that the same workspace had before it, so that an
 * edit of one policy compiles that policy, and not the thousands beside it.
 */
export class CompiledLists {
  readonly #seen: SeenValues;
  readonly #target: Limit['target'];
  readonly #byWorkspace = grownCache<Compiled>(WORKSPACES);
  /** Lists of no workspace, which are short. */
  readonly #others = new WeakMap<readonly Limit[], LimitIndexes | Promise<LimitIndexes>>();

  constructor(seen: SeenValues, target: Limit['target']) {
    this.#seen = seen;
    this.#target = target;
  }

  /** Of a list that is the same object as long as nothing in it changes. */
  indexesOf(limits: readonly Limit[]): LimitIndexes | Promise<LimitIndexes> {
    // Those of the organisation come first, and belong to lists of other workspaces too.
    const workspaceId = limits.at(-1)?.workspaceId ?? null;
    if (workspaceId === null) return this.#ofNone(limits);
    const known = this.#byWorkspace.get(workspaceId);
    if (known?.limits === limits) return known.indexes;
    const compiled = { limits, indexes: this.#madeOf(known, limits) };
    this.#byWorkspace.set(workspaceId, compiled);
    this.#settle(compiled);
    return compiled.indexes;
  }

  #madeOf(known: Compiled | undefined, limits: readonly Limit[]): LimitIndexes | Promise<LimitIndexes> {
    if (known && !(known.indexes instanceof Promise)) {
      if (updateLimits(known.indexes, known.limits, limits, this.#target)) return known.indexes;
    }
    return compileLimits(limits, this.#seen, this.#target);
  }

  #settle(compiled: Compiled): void {
    if (compiled.indexes instanceof Promise)
      void compiled.indexes.then((made) => {
        compiled.indexes = made;
      });
  }

  #ofNone(limits: readonly Limit[]): LimitIndexes | Promise<LimitIndexes> {
    let indexes = this.#others.get(limits);
    if (indexes === undefined) {
      indexes = compileLimits(limits, this.#seen, this.#target);
      this.#others.set(limits, indexes);
    }
    return indexes;
  }
}
