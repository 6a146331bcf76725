import { workerData } from 'node:worker_threads';
import { serve } from '../../lib/threads/serve.ts';
import { IndexDirectory } from './directory.ts';
import type { IndexCalls } from './messages.ts';

/** The life of the thread that searches: it holds the index files of one process. */
export type IndexThreadData = { directory: string; cacheBytes: number };

const { directory, cacheBytes } = workerData as IndexThreadData;
const indexes = new IndexDirectory(directory, cacheBytes);

serve<IndexCalls>({
  files: (store) => indexes.of(store).files(),
  add: (store, file) => indexes.of(store).add(file),
  drop: (store, fileIds) => indexes.of(store).drop(fileIds),
  search: (store, question) => indexes.of(store).search(question),
  forget: (stores) => indexes.forget(stores),
  stores: () => indexes.stores(),
  tidy: () => indexes.tidy(),
});
