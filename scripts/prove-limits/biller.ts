import { startProvider } from '../../test/support/provider.ts';

/** Tokens of every prompt as the provider counts them, and the most that its answer may have. */
const PROMPT = 10;
export const MOST_TOKENS = 20;
/** Nanodollars of a token of gpt-4o. */
const PRICE = { input: 2500, output: 10_000 };

export type Biller = {
  url: string;
  /** Nanodollars that the calls of a run came to. */
  billed(run: string): number;
  calls(run: string): number;
  /** On the clock of `performance.now()`: when the last call came. */
  lastAt(): number;
  stop(): Promise<void>;
};

/** A provider that bills every call as soon as it has come, whatever becomes of the one who made it. */
export async function startBiller(): Promise<Biller> {
  const runs = new Map<string, { billed: number; calls: number }>();
  let lastAt = performance.now();
  const provider = await startProvider();
  provider.play(async ({ body }, response) => {
    provider.requests.length = 0;
    const { user = '', max_tokens: most = 0 } = JSON.parse(body.toString()) as {
      user?: string;
      max_tokens?: number;
    };
    const written = Math.ceil(most * (0.05 + 0.95 * Math.random()));
    const run = runs.get(user) ?? { billed: 0, calls: 0 };
    run.billed += PROMPT * PRICE.input + written * PRICE.output;
    run.calls += 1;
    runs.set(user, run);
    lastAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 50 + 450 * Math.random()));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'gpt-4o',
        choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: PROMPT, completion_tokens: written, total_tokens: PROMPT + written },
      }),
    );
  });
  return {
    url: provider.url,
    billed: (run) => runs.get(run)?.billed ?? 0,
    calls: (run) => runs.get(run)?.calls ?? 0,
    lastAt: () => lastAt,
    stop: () => provider.stop(),
  };
}
