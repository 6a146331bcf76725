import { setTimeout as wait } from 'node:timers/promises';
import type { RunningSluice } from '../../processes.ts';

const BATCHES = 10;

const log = (index: number) => ({
  request: {
    url: 'https://api.openai.com/v1/chat/completions',
    provider: 'openai',
    method: 'POST',
    headers: {},
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: `Question ${index}` }] },
  },
  response: {
    status: index % 50 === 0 ? 503 : 200,
    headers: {},
    body: { model: 'gpt-4o', usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
    response_time: 300 + (index % 700),
    streamingMode: false,
  },
  metadata: { team: `team-${index % 7}` },
});

/** Stores so many logs a second, in batches over the second; answers how many it stored, and in how many seconds. */
export async function feed(
  { port, workspaceKey }: Pick<RunningSluice, 'port' | 'workspaceKey'>,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ stored: number; took: number }> {
  const size = Math.ceil(rate / BATCHES);
  const startedAt = performance.now();
  let stored = 0;
  for (let batch = 0; batch < seconds * BATCHES; batch++) {
    const input = Array.from({ length: size }, (_, index) => log(stored + index));
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': workspaceKey },
      body: JSON.stringify({
        query: 'mutation ($input: JSON!) { insertLogs(input: $input) }',
        variables: { input },
      }),
    });
    const { data, errors } = (await response.json()) as { data?: { insertLogs: number }; errors?: unknown };
    if (!data) throw new Error(`Logs were not stored: ${JSON.stringify(errors)}`);
    stored += data.insertLogs;
    const due = startedAt + ((batch + 1) * 1000) / BATCHES;
    await wait(Math.max(0, due - performance.now()));
  }
  return { stored, took: (performance.now() - startedAt) / 1000 };
}
