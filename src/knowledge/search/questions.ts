import { GatewayError } from '../../errors/index.ts';
import type { VectorStoreDocument } from '../documents.ts';
import { embedQuestions, isLocal } from '../embed/embedder.ts';
import type { QuantisedVectors } from '../embed/quantise.ts';
import { otherLength } from '../embed/remote.ts';
import { ModelGaveNone } from '../models/ask-model.ts';
import type { Segments } from '../segments/segments.ts';

type Asked = Parameters<typeof embedQuestions>[2];
type Deps = { dataplane: Parameters<typeof embedQuestions>[0]; segments: Pick<Segments, 'dimensionsOf'> };

/** The vectors of questions to a store. Whoever asks is told what keeps its model from making them. */
export async function questionsTo(
  { dataplane, segments }: Deps,
  { _id, embedding, sign }: VectorStoreDocument,
  asked: Asked,
): Promise<QuantisedVectors[]> {
  const vectors = await embedQuestions(dataplane, embedding, asked).catch(told);
  if (isLocal(embedding)) return vectors;
  const known = await segments.dimensionsOf(_id, sign);
  const other = vectors.find(({ dimensions }) => known !== null && dimensions !== known);
  if (other) throw notAsked(otherLength(embedding.model, other.dimensions, known ?? 0));
  return vectors;
}

const notAsked = (message: string) => new GatewayError('VALIDATION_FAILED', { message });

/** Tells whoever searches what keeps a model from answering. */
export function told(error: unknown): never {
  if (!(error instanceof ModelGaveNone)) throw error;
  const { isLasting, message } = error;
  throw isLasting ? notAsked(message) : new GatewayError('PROVIDER_UNREACHABLE', { message });
}
