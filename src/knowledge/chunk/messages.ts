import type { Chunking } from '../documents.ts';
import type { QuantisedVectors } from '../embed/quantise.ts';

/** A text that is to be cut; `isEmbedded` asks for vectors of the embedder without a model. */
export type ChunkOrder = { text: string; chunking: Chunking; isEmbedded: boolean };
/** Places of the chunks in the text, and their vectors where they were asked for. */
export type ChunkedText = { starts: number[]; ends: number[]; vectors: QuantisedVectors | null };

export type ChunkCalls = {
  chunk(order: ChunkOrder): ChunkedText;
  /** The vectors of texts by the embedder without a model. */
  embed(texts: string[]): QuantisedVectors;
};
