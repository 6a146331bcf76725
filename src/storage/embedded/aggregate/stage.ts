import type { Pace } from '../pace.ts';
import type { Collation } from '../query/collation.ts';
import type { ReadStore } from '../store/read-store.ts';
import { type Document, isDocument } from '../value/types.ts';

/** One step of a pipeline. Documents arrive in batches; what comes out at once and what only at the end is up to it. */
export interface Stage {
  push(batch: Document[]): Document[] | Promise<Document[]>;
  /** Called once, after the last batch. */
  finish?(): Document[] | Promise<Document[]>;
  /** True when nothing more will come out, so that the scan may stop. */
  readonly satisfied?: boolean;
  /** Takes a number of documents whose contents do not matter; only stages that count have it. */
  pushCount?(count: number): void;
}

/** What stages need to know about their surroundings. */
export type StageContext = {
  store: ReadStore;
  database: string;
  pace: Pace;
  collation: Collation | null;
  variables: Document;
};

/** A guess at the memory a document takes; exact enough for a limit and much cheaper than encoding it. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length * 2;
  if (typeof value !== 'object' || value === null) return 16;
  if (Array.isArray(value)) return value.reduce<number>((size, item) => size + roughSize(item), 32);
  if (isDocument(value)) {
    let size = 48;
    for (const key of Object.keys(value)) size += 16 + roughSize(value[key]);
    return size;
  }
  return 64;
}

/** Sends a batch through stages. */
export async function sendThrough(
  stages: readonly Stage[],
  from: number,
  batch: Document[],
): Promise<Document[]> {
  let current = batch;
  for (let i = from; i < stages.length && current.length > 0; i++) {
    const next = (stages[i] as Stage).push(current);
    current = next instanceof Promise ? await next : next;
  }
  return current;
}

/** Ends every stage in turn; what one still gives goes through those after it. */
export async function finishAll(stages: readonly Stage[]): Promise<Document[]> {
  const result: Document[] = [];
  for (const [i, stage] of stages.entries()) {
    const tail = await stage.finish?.();
    if (tail && tail.length > 0)
      for (const document of await sendThrough(stages, i + 1, tail)) result.push(document);
  }
  return result;
}
