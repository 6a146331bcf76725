import { ThreadError, type ThreadLine } from '../../lib/threads/thread-line.ts';
import type { ChunkCalls, ChunkedText } from '../chunk/messages.ts';
import type { KnowledgeDeps } from '../deps.ts';
import type { VectorStoreDocument, VectorStoreFileDocument, VectorStoreFileError } from '../documents.ts';
import { isLocal } from '../embed/embedder.ts';
import { type QuantisedVectors, quantise } from '../embed/quantise.ts';
import { embedByModel, otherLength } from '../embed/remote.ts';
import { ModelGaveNone } from '../models/ask-model.ts';
import type { TextChunk } from '../segments/pack.ts';
import type { Segments, WrittenForm } from '../segments/segments.ts';
import { sealedHeaders } from './caller.ts';
import type { FileEnd } from './claims.ts';

export type IndexingDeps = KnowledgeDeps & { store: Segments; chunker: ThreadLine<ChunkCalls> };

/** A file that cannot be indexed, however often it is tried. */
class Unfit extends Error {
  readonly code: VectorStoreFileError['code'];
  constructor(code: VectorStoreFileError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The end of a file that has nothing to be found by, also where it had before. */
export const failed = (code: VectorStoreFileError['code'], message: string): FileEnd => ({
  ...{ status: 'failed', lastError: { code, message }, generation: null },
});

/** Extracts, cuts and embeds a file and writes its segments under the number of its claim. Throws what another try may change. */
export async function indexFile(
  deps: IndexingDeps,
  file: VectorStoreFileDocument,
  signal: AbortSignal,
): Promise<FileEnd> {
  try {
    const chunked = await chunkFile(deps, file, signal);
    const generation = file.fence;
    const usageBytes = await deps.store.write(file, generation, { ...chunked, now: deps.now() });
    const { sign } = chunked;
    return { status: 'completed', usageBytes, generation, ...(sign !== undefined && { sign }) };
  } catch (error) {
    if (error instanceof Unfit) return failed(error.code, error.message);
    throw error;
  }
}

async function chunkFile(
  deps: IndexingDeps,
  file: VectorStoreFileDocument,
  signal: AbortSignal,
): Promise<WrittenForm> {
  const store = await deps.stores().findOne({ _id: file.storeId });
  if (!store) {
    // It was deleted while the file was being attached.
    await deps.files().deleteOne({ _id: file._id });
    throw new Unfit('server_error', 'The vector store is gone.');
  }
  const found = await deps.sources.textOf(file, file.fileId, signal);
  if (!found) throw new Unfit('invalid_file', 'The file is gone.');
  if ('failure' in found) throw new Unfit(found.failure, found.message);
  const { text } = found;
  const cut = await cutText(deps, { text, chunking: file.chunking, isEmbedded: isLocal(store.embedding) });
  const chunks: TextChunk[] = cut.starts.map((start, at) => {
    const end = cut.ends[at] ?? start;
    return { start, end, text: text.slice(start, end) };
  });
  if (chunks.length === 0) throw new Unfit('invalid_file', 'The file has no text.');
  const vectors = cut.vectors ?? (await vectorsBy(deps, { store, file, chunks }, signal));
  return { chunks, vectors, sign: store.sign };
}

async function cutText(
  { chunker }: IndexingDeps,
  order: Parameters<ChunkCalls['chunk']>[0],
): Promise<ChunkedText> {
  try {
    return await chunker.ask('chunk', order);
  } catch (error) {
    if (error instanceof ThreadError && error.kind === 'TooLongText')
      throw new Unfit('invalid_file', error.message);
    throw error;
  }
}

async function vectorsBy(
  { dataplane, secrets, store: segments }: IndexingDeps,
  { store, file, chunks }: { store: VectorStoreDocument; file: VectorStoreFileDocument; chunks: TextChunk[] },
  signal: AbortSignal,
): Promise<QuantisedVectors> {
  const call = { dataplane, embedding: store.embedding, headers: sealedHeaders(secrets, file) };
  const texts = chunks.map(({ text }) => text);
  try {
    const vectors = quantise(await embedByModel(call, texts, signal));
    const known = await segments.dimensionsOf(store._id, store.sign);
    if (known !== null && known !== vectors.dimensions)
      throw new Unfit('server_error', otherLength(store.embedding.model, vectors.dimensions, known));
    return vectors;
  } catch (error) {
    if (error instanceof ModelGaveNone && error.isLasting) throw new Unfit('server_error', error.message);
    throw error;
  }
}
