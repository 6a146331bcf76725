import type { AddedFile, Hit, IndexedFile, IndexQuestion } from './messages.ts';

/** Where the chunks of vector stores are found. Losing one loses nothing: it is filled again from the segments. */
export type VectorIndex = {
  /** Whether other processes write to it as well. */
  isShared: boolean;
  files(store: string): Promise<IndexedFile[]>;
  add(store: string, file: AddedFile): Promise<void>;
  drop(store: string, fileIds: string[]): Promise<void>;
  search(store: string, question: IndexQuestion): Promise<Hit[]>;
  /** Forgets stores with all that they have. */
  forget(stores: string[]): Promise<void>;
  /** The stores that it has something of, and when it was written to last. */
  stores(): Promise<{ store: string; writtenAt: number }[]>;
  /** Deletes what processes have left that are gone. */
  tidy(): Promise<void>;
  stop(): Promise<void>;
};

/** The index ended, or what was in it is gone: whoever asks again has it filled first. */
export class IndexLost extends Error {}
