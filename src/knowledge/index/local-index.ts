import { existsSync } from 'node:fs';
import type { Logger } from '../../lib/logger.ts';
import { ThreadError, ThreadLine } from '../../lib/threads/thread-line.ts';
import type { IndexCalls } from './messages.ts';
import { IndexLost, type VectorIndex } from './vector-index.ts';

type Options = {
  cache: { directory: string; bytes: number };
  /** Told when what was in memory is gone. */
  onLoss(): void;
  log: Logger;
};

/** The index of this process: files in a directory of its own, in a thread of its own. */
export function createLocalIndex({ cache, onLoss, log }: Options): VectorIndex {
  const thread = new ThreadLine<IndexCalls>({
    file: new URL('./index-thread.ts', import.meta.url),
    name: 'vector-index',
    data: { directory: cache.directory, cacheBytes: cache.bytes },
    heapMb: 1024,
    idleMs: null,
    onLoss,
    log,
  });
  // The thread starts by the first call: where there is no index, there is nothing to ask.
  const isThere = () => existsSync(cache.directory);
  return {
    isShared: false,
    files: (store) => told(thread.ask('files', store)),
    add: (store, file) => told(thread.ask('add', store, file)),
    drop: (store, fileIds) => told(thread.ask('drop', store, fileIds)),
    search: (store, question) => told(thread.ask('search', store, question)),
    forget: (stores) => told(thread.ask('forget', stores)),
    stores: async () => (isThere() ? told(thread.ask('stores')) : []),
    tidy: async () => (isThere() ? told(thread.ask('tidy')) : undefined),
    stop: () => thread.stop(),
  };
}

/** Where the thread ended under a call, its successor begins with the files that are there. */
const told = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw error instanceof ThreadError && error.kind === 'ThreadLost' ? new IndexLost() : error;
  });
