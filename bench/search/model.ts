import type { Embed } from './evaluate.ts';

/** Texts that are sent together. */
const BATCH = 96;

type Place = { /** Ends with `/v1`. */ url: string; key: string; model: string };

/** The vectors of a model behind OpenAI's API, such as one that a gateway leads to. */
export const embedderAt =
  ({ url, key, model }: Place): Embed =>
  async (texts) => {
    const vectors: number[][] = [];
    for (let at = 0; at < texts.length; at += BATCH)
      vectors.push(...(await embedBatch({ url, key, model }, texts.slice(at, at + BATCH))));
    return vectors;
  };

async function embedBatch({ url, key, model }: Place, input: string[]): Promise<number[][]> {
  const answer = await fetch(`${url}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input }),
  });
  if (!answer.ok) throw new Error(`${model} answered ${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { index: number; embedding: number[] }[] };
  return data.sort((one, other) => one.index - other.index).map(({ embedding }) => embedding);
}
