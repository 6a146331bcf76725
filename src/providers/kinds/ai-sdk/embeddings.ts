import type { EmbeddingModelV4, EmbeddingModelV4CallOptions, EmbeddingModelV4Result } from '@ai-sdk/provider';
import { jsonAnswer } from '../../answer.ts';
import { passedOn } from './answer/headers.ts';
import { dialectOf, type SdkProvider } from './dialect.ts';
import { type Fields, isCount, isText, optional, RequestProblem } from './fields.ts';

const MAX_INPUTS = 2048;
/** Requests of one call that are on their way at a time, where a provider takes few texts at once. */
const PARALLEL = 8;

/** OpenAI's embeddings by a provider with a format of its own, in as many requests as it takes. */
export const embeddingsDialect = (vendor: SdkProvider) =>
  dialectOf(vendor, async ({ request, connection, body, model, headers }) => {
    if (!vendor.embedding) throw new RequestProblem(`The provider ${vendor.id} has no embeddings.`);
    const values = inputsOf(body.input);
    const encode = encodingOf(body.encoding_format);
    const options = {
      dimensions: optional(body, 'dimensions', isCount, 'a whole number above 0'),
      ...(await vendor.embeddingOptions?.(body, model, request)),
      abortSignal: request.signal,
      headers,
    };
    const results = await embedAll(await vendor.embedding(connection, model), values, options);
    return jsonAnswer({
      headers: passedOn(results.at(-1)?.response?.headers),
      value: {
        object: 'list',
        data: results
          .flatMap(({ embeddings }) => embeddings)
          .map((embedding, index) => ({ object: 'embedding', index, embedding: encode(embedding) })),
        model,
        ...usageOf(results),
      },
    });
  });

function inputsOf(input: unknown): string[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (list.length === 0 || list.length > MAX_INPUTS || !list.every((text) => isText(text) && text !== ''))
    throw new RequestProblem(
      `input must be a text or a list of 1 to ${MAX_INPUTS} texts: this provider takes no tokens.`,
      'input',
    );
  return list as string[];
}

function encodingOf(format: unknown): (embedding: number[]) => unknown {
  if (format === undefined || format === null || format === 'float') return (embedding) => embedding;
  if (format !== 'base64')
    throw new RequestProblem('encoding_format must be float or base64.', 'encoding_format');
  return (embedding) => Buffer.from(new Float32Array(embedding).buffer).toString('base64');
}

async function embedAll(
  model: EmbeddingModelV4,
  values: string[],
  options: Omit<EmbeddingModelV4CallOptions, 'values'>,
): Promise<EmbeddingModelV4Result[]> {
  const size = (await model.maxEmbeddingsPerCall) ?? MAX_INPUTS;
  const width = (await model.supportsParallelCalls) ? PARALLEL : 1;
  const batches = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
  const results: EmbeddingModelV4Result[] = [];
  for (let start = 0; start < batches.length; start += width) {
    const some = batches.slice(start, start + width);
    results.push(...(await Promise.all(some.map((batch) => model.doEmbed({ ...options, values: batch })))));
  }
  return results;
}

/** Left out when the provider did not count. */
function usageOf(results: EmbeddingModelV4Result[]): Fields {
  const counts = results.map(({ usage }) => usage?.tokens);
  if (!counts.every((tokens) => tokens !== undefined && Number.isFinite(tokens))) return {};
  const tokens = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { usage: { prompt_tokens: tokens, total_tokens: tokens } };
}
