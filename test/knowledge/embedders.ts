import { json, type Script } from '../support/provider.ts';

export type Gate = { open(): void; opened: Promise<void> };

export function gate(): Gate {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { open, opened };
}

/**
 * Answers vectors that tell texts about herons from all others, with zeros behind them to the length. Answers with a text of `of`
 * wait until the gate is open.
 */
export const embedder =
  (length: number, held?: { until: Gate; of: RegExp }): Script =>
  async (request, response, raw) => {
    const { input } = JSON.parse(request.body.toString()) as { input: string[] };
    if (held && input.some((text) => held.of.test(text))) await held.until.opened;
    const vector = (text: string) => (/heron/i.test(text) ? [1, 0.1] : [0.1, 1]);
    const data = input.map((text, index) => ({
      ...{ object: 'embedding', index },
      embedding: Array.from({ length }, (_, place) => vector(text)[place] ?? 0),
    }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    return json(200, { object: 'list', model: 'embedder', data, usage })(request, response, raw);
  };
