import type { IncomingHttpHeaders } from 'node:http';
import type { Dataplane } from '../../dataplane/index.ts';
import type { EmbeddingModel } from '../documents.ts';
import { embedLocally } from './local.ts';
import { type QuantisedVectors, quantise } from './quantise.ts';
import { embedByModel } from './remote.ts';

/** The name of the embedder that needs no model. */
export const LOCAL_MODEL = 'local';

export const isLocal = ({ model }: EmbeddingModel): boolean => model === LOCAL_MODEL;

/** The vector of each question of a search; `headers` are those of the caller, who pays where a model is asked. */
export async function embedQuestions(
  dataplane: Dataplane,
  embedding: EmbeddingModel,
  { texts, headers, signal }: { texts: readonly string[]; headers: IncomingHttpHeaders; signal: AbortSignal },
): Promise<QuantisedVectors[]> {
  const vectors = isLocal(embedding)
    ? texts.map(embedLocally)
    : await embedByModel({ dataplane, embedding, headers }, texts, signal);
  return vectors.map((vector) => quantise([vector]));
}
