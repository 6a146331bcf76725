import type { IncomingHttpHeaders } from 'node:http';
import { ThreadLine } from '../lib/threads/thread-line.ts';
import type { ChunkCalls } from './chunk/messages.ts';
import { createContents } from './contents.ts';
import type { KnowledgeDeps } from './deps.ts';
import { createLocalIndex } from './index/local-index.ts';
import type { VectorIndex } from './index/vector-index.ts';
import { createIndexer } from './indexer/indexer.ts';
import { rewritten } from './models/rewrite.ts';
import { createQdrantIndex } from './qdrant/qdrant.ts';
import { createFreshness } from './search/freshness.ts';
import { told } from './search/questions.ts';
import { createRemovedTexts } from './search/removed-texts.ts';
import { createSearch } from './search/search.ts';
import { createSegments } from './segments/segments.ts';
import { createUpkeep } from './upkeep.ts';

/** Milliseconds after which the thread that cuts texts gives its memory back. */
const CHUNKER_IDLE_MS = 60_000;

export type Knowledge = ReturnType<typeof createKnowledge>;

/** Indexes the files of vector stores and searches them. */
export function createKnowledge(deps: KnowledgeDeps) {
  const { cache, engine, log } = deps;
  const segments = createSegments(deps.segments);
  const contents = createContents(deps, segments);
  const index: VectorIndex = engine
    ? createQdrantIndex(engine, deps)
    : createLocalIndex({ cache, onLoss: () => freshness.forgetAll(), log });
  const chunker = new ThreadLine<ChunkCalls>({
    file: new URL('./chunk/chunk-thread.ts', import.meta.url),
    name: 'chunker',
    data: null,
    heapMb: 2048,
    idleMs: CHUNKER_IDLE_MS,
    log,
  });
  const freshness = createFreshness(deps, segments, index);
  const indexer = createIndexer({ ...deps, store: segments, chunker });
  const removedTexts = createRemovedTexts(deps, { index, freshness });
  const upkeep = createUpkeep(deps, { contents, removedTexts });

  return {
    ...contents,
    search: createSearch({ ...deps, segments }, freshness, index),
    /** Texts as they are best searched for: as they are, where no model is there to rewrite them. */
    rewritten: async (texts: readonly string[], headers: IncomingHttpHeaders, signal: AbortSignal) => {
      const model = deps.models.rewrite;
      if (model === null) return [...texts];
      const asked = { model, headers };
      return Promise.all(texts.map((text) => rewritten(deps.dataplane, text, asked, signal))).catch(told);
    },
    /** The text of a file that has been indexed, in parts. */
    textsOf: segments.texts,
    /** Has files that wait indexed, here or elsewhere. */
    wake: indexer.tell,
    start(): void {
      indexer.start();
      upkeep.start();
    },
    async stop(): Promise<void> {
      await indexer.stop();
      await upkeep.stop();
      await Promise.all([index.stop(), chunker.stop()]);
    },
  };
}
