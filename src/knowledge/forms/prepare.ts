import type { ThreadLine } from '../../lib/threads/thread-line.ts';
import type { ChunkCalls } from '../chunk/messages.ts';
import type { KnowledgeDeps } from '../deps.ts';
import type { NextEmbedding, VectorStoreDocument, VectorStoreFileDocument } from '../documents.ts';
import { isLocal } from '../embed/embedder.ts';
import { type QuantisedVectors, quantise } from '../embed/quantise.ts';
import { embedByModel, otherLength } from '../embed/remote.ts';
import { headersFor } from '../indexer/caller.ts';
import { LEASE_MS } from '../indexer/claims.ts';
import { ModelGaveNone } from '../models/ask-model.ts';
import type { Segments } from '../segments/segments.ts';

type Deps = KnowledgeDeps & { store: Segments; chunker: ThreadLine<ChunkCalls> };

/** A store whose embedding changes. */
export type ChangingStore = VectorStoreDocument & { next: NextEmbedding };

/** Takes a file that has no form for the embedding to come; null where all have one, or are worked on. */
export async function claimToPrepare(
  files: KnowledgeDeps['files'],
  { _id: storeId, next }: ChangingStore,
  { me, now }: { me: string; now: Date },
): Promise<VectorStoreFileDocument | null> {
  const isFree = [{ leaseUntil: null }, { leaseUntil: { $lte: now } }];
  return files().findOneAndUpdate(
    {
      ...{ storeId, status: 'completed', generation: { $ne: null }, $or: isFree },
      'prepared.sign': { $ne: next.sign },
    },
    { $set: { owner: me, leaseUntil: new Date(now.getTime() + LEASE_MS) }, $inc: { fence: 1 } },
    { returnDocument: 'after' },
  );
}

/**
 * Gives a file a form for the embedding to come, beside the one that searches find: the same chunks with other vectors. Throws what
 * keeps it from that; ModelGaveNone where that is the model.
 */
export async function prepareFile(
  deps: Deps,
  { file, next }: { file: VectorStoreFileDocument; next: NextEmbedding },
  signal: AbortSignal,
): Promise<void> {
  const { store: segments, now } = deps;
  const { sign } = next;
  const { _id, owner, fence, generation: searched, prepared } = file;
  const chunks = await segments.chunks(file, searched ?? 0);
  const texts = chunks.map(({ text }) => text);
  if (texts.length === 0) throw new Error('A file that was indexed has chunks.');
  const vectors = await vectorsFor(deps, { file, next, texts }, signal);
  const usageBytes = await segments.write(file, fence, { chunks, vectors, sign, now: now() });
  // The segments stay before the file names them: what it names is there for good.
  await segments.keep(file, fence);
  const { matchedCount } = await deps
    .files()
    .updateOne(
      { _id, owner, fence, generation: searched },
      { $set: { prepared: { sign, generation: fence, usageBytes }, owner: null, leaseUntil: null } },
    );
  if (matchedCount === 0) throw new Error('The file has changed while it was prepared.');
  if (prepared) await segments.drop(file, prepared.generation);
}

async function vectorsFor(
  { dataplane, secrets, chunker, store: segments }: Deps,
  { file, next, texts }: { file: VectorStoreFileDocument; next: NextEmbedding; texts: string[] },
  signal: AbortSignal,
): Promise<QuantisedVectors> {
  const { embedding, sign, sealedCaller: sealed } = next;
  if (isLocal(embedding)) return chunker.ask('embed', texts);
  const headers = headersFor(secrets, file, { sealed, keeper: file.storeId });
  const vectors = quantise(await embedByModel({ dataplane, embedding, headers }, texts, signal));
  const known = await segments.dimensionsOf(file.storeId, sign);
  if (known !== null && known !== vectors.dimensions)
    throw new ModelGaveNone(otherLength(embedding.model, vectors.dimensions, known), true);
  return vectors;
}
