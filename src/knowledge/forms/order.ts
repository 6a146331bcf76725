import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secrets } from '../../storage/secrets.ts';
import type { EmbeddingModel, VectorStoreDocument } from '../documents.ts';
import { isLocal } from '../embed/embedder.ts';
import { sealHeaders } from '../indexer/caller.ts';

/** What a store is written by, so that its files are prepared for another embedding. */
export type EmbeddingOrder = { $set?: Record<string, unknown>; $unset?: Record<string, ''> };

type Ordered = Pick<VectorStoreDocument, '_id' | 'embedding' | 'next' | 'settling'>;

/**
 * Has the files of a store prepared for an embedding, in place of one that they are being prepared for. The embedding that is
 * searched by gives a change up; the one that files are being prepared for goes on, also where it had failed.
 */
export function embeddingOrder(
  secrets: Secrets,
  { _id, embedding: searched, next, settling }: Ordered,
  { embedding, headers }: { embedding: EmbeddingModel; headers: IncomingHttpHeaders },
): EmbeddingOrder {
  if (isSame(searched, embedding))
    return next ? { $unset: { next: '' }, $set: { settling: { ...settling, id: newName() } } } : {};
  const sign = next && isSame(next.embedding, embedding) ? next.sign : newName();
  const sealed = isLocal(embedding) ? {} : { sealedCaller: sealHeaders(secrets, headers, _id) };
  return { $set: { next: { embedding, sign, ...sealed } } };
}

const isSame = (one: EmbeddingModel, other: EmbeddingModel): boolean =>
  one.model === other.model && one.dimensions === other.dimensions;

/** Letters and digits alone: it is part of the name of a file. */
const newName = (): string => randomBytes(8).toString('hex');
