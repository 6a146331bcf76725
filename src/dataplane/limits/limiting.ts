import type { Logger } from '../../lib/logger.ts';
import { SeenOutputs } from '../../limits/bound/index.ts';
import type { LimitEngine } from '../../limits/engine.ts';
import type { Limit } from '../../limits/limit.ts';
import { CompiledLists, type LimitIndexes, SeenValues } from '../../limits/match/index.ts';
import { type Catalogue, loadCatalogue } from '../../recording/pricing/index.ts';

/** What the pipeline needs to hold calls to their limits. */
export type Limiting = {
  engine: LimitEngine;
  /** The limits of a list by when a call can be matched with them; kept as long as the list is. */
  indexesOf(limits: readonly Limit[]): LimitIndexes | Promise<LimitIndexes>;
  /** The prices, once a limit is about cost. */
  prices(): Catalogue | Promise<Catalogue>;
  outputs: SeenOutputs;
  /** Tokens that an answer may have where nobody says it. */
  defaultOutputCap: number;
};

export function createLimiting(engine: LimitEngine, defaultOutputCap: number, log: Logger): Limiting {
  const seen = new SeenValues(({ id, name }) =>
    log.warn(
      { limit: id },
      `The limit ${name} has as many values as are counted apart; further ones share a counter.`,
    ),
  );
  const compiled = new CompiledLists(seen, 'llm');
  let catalogue: Catalogue | null = null;
  return {
    engine,
    indexesOf: (limits) => compiled.indexesOf(limits),
    prices() {
      if (catalogue) return catalogue;
      return loadCatalogue().then((loaded) => {
        catalogue = loaded;
        return loaded;
      });
    },
    outputs: new SeenOutputs(),
    defaultOutputCap,
  };
}
