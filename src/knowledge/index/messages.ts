import type { Attributes } from '../documents.ts';
import type { QuantisedVectors } from '../embed/quantise.ts';
import type { AttributeFilter } from '../search/filter.ts';
import type { TextChunk } from '../segments/pack.ts';
import type { RankingWeights } from './fuse.ts';

/** A file as the index has it. `version` changes with its segments. */
export type IndexedFile = { fileId: string; version: string };

/** What is added of a file: all its segments, or its attributes alone where `segments` is null. */
export type AddedFile = IndexedFile & {
  filename: string;
  attributes: Attributes;
  segments: { chunks: TextChunk[]; vectors: QuantisedVectors }[] | null;
};

/** One question: its words, and its vector of the store's kind. */
export type IndexQuery = { text: string; vector: QuantisedVectors };

export type IndexQuestion = {
  queries: IndexQuery[];
  filter: AttributeFilter | null;
  /** Words and vectors together, or vectors alone. */
  ranking: 'hybrid' | 'vectors';
  /** How much words and vectors count; absent or null for what is usual. */
  weights?: RankingWeights | null;
  most: number;
  threshold: number;
};

/** A chunk that answers a question, with a score from 0 to 1. */
export type Hit = {
  fileId: string;
  filename: string;
  attributes: Attributes;
  score: number;
  start: number;
  end: number;
  text: string;
};

/** What the thread of the index is asked, and what it answers. */
export type IndexCalls = {
  files(store: string): IndexedFile[];
  add(store: string, file: AddedFile): void;
  drop(store: string, fileIds: string[]): void;
  search(store: string, question: IndexQuestion): Hit[];
  /** Forgets stores and deletes their files. */
  forget(stores: string[]): void;
  /** The stores whose files are there, and when each was written to last. */
  stores(): { store: string; writtenAt: number }[];
  /** Deletes the files of processes that are gone. */
  tidy(): void;
};
