import { CommandError } from '../errors.ts';
import { checkOperators, runWithMingo } from '../expression/expression.ts';
import type { Pace } from '../pace.ts';
import { plainExpression } from '../value/plain.ts';
import { type Document, isDocument } from '../value/types.ts';
import { type Batches, inBatches, metered, pipe, type Stage } from './stage.ts';

/** Stages that need all documents at once and that mingo knows how to do. */
export function collectingStage(name: string, spec: unknown, resolve: (name: string) => Document[]): Stage {
  checkOperators(spec, true);
  const stage = { [name]: plainExpression(spec) };
  return (source) =>
    metered(name, async function* (keep) {
      const documents = await collect(source, keep);
      yield* inBatches(runWithMingo(stage, documents, resolve));
    });
}

async function collect(source: Batches, keep: (document: Document) => void): Promise<Document[]> {
  const documents: Document[] = [];
  for await (const batch of source) {
    for (const document of batch) {
      keep(document);
      documents.push(document);
    }
  }
  return documents;
}

/** `$facet`: several pipelines over the same documents, read once. */
export function facetStage(spec: unknown, compile: (pipeline: unknown) => Stage[], pace: Pace): Stage {
  if (!isDocument(spec) || Object.keys(spec).length === 0)
    throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  const facets = Object.entries(spec).map(([name, pipeline]) => ({ name, stages: compile(pipeline) }));
  return (source) =>
    metered('$facet', async function* (keep) {
      const shared = share(source, facets.length);
      try {
        const results = await Promise.all(
          facets.map(async ({ name, stages }) => [name, await collect(pipe(shared, stages, pace), keep)]),
        );
        yield [Object.fromEntries(results)];
      } finally {
        await shared.stop();
      }
    });
}

/** Gives the same batches to several readers that advance together, so that no batch is kept for a slow reader. */
function share(source: Batches, readers: number): Batches & { stop(): Promise<unknown> } {
  const iterator = source[Symbol.asyncIterator]();
  let reading = readers;
  const waiting: ((next: Promise<IteratorResult<Document[]>>) => void)[] = [];
  const advance = (): void => {
    if (waiting.length < reading || reading === 0) return;
    const next = iterator.next();
    for (const give of waiting.splice(0)) give(next);
  };
  const reader: AsyncIterator<Document[]> = {
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        advance();
      }),
    async return() {
      reading -= 1;
      advance();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => reader, stop: async () => iterator.return?.() };
}
