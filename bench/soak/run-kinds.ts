import { setTimeout as sleep } from 'node:timers/promises';
import {
  forgetSome,
  messagesOf,
  outputsFor,
  require,
  requireCompleted,
  requireStatus,
  runIn,
  streamed,
} from './run-checks.ts';
import type { Run, RunClient } from './run-client.ts';

/** Milliseconds after which a run is stuck that nobody has to wait for. */
const LATE_MS = 60_000;
/** Milliseconds that a run waits for its caller before it expires, and until somebody has seen it. */
export const EXPIRY_MS = 600_000;
const EXPIRY_SEEN_MS = 30_000;

export type Assistants = Record<'plain' | 'slow' | 'tool' | 'search' | 'code', string>;
type World = { client: RunClient; assistants: Assistants };

/** What a program does with a run, from its making to its end; throws where something is otherwise than it should be. */
type Kind = {
  /** How many of a hundred runs are of this kind. */
  share: number;
  /** Milliseconds before the end of the soak in which none is begun. */
  last?: number;
  live(world: World): Promise<void>;
};

const LONG = Array.from({ length: 40 }, (_none, at) => `word${at}`).join(' ');

export const kinds = {
  streamed: {
    share: 25,
    async live({ client, assistants }) {
      const text = await streamed(client, assistants.plain, 'Say this again');
      requireCompleted(text);
      await forgetSome(client, runIn(text));
    },
  },
  polled: {
    share: 20,
    async live({ client, assistants }) {
      const run = await client.ended(await client.begin(assistants.plain, 'Say this again'), LATE_MS);
      requireStatus(run, ['completed']);
      await runAgain(client, assistants, run);
      await forgetSome(client, run);
    },
  },
  tools: {
    share: 20,
    async live({ client, assistants }) {
      const run = await client.ended(await client.begin(assistants.tool, '/tool Look there'), LATE_MS);
      requireStatus(run, ['requires_action']);
      const text = await client.events(`/threads/${run.thread_id}/runs/${run.id}/submit_tool_outputs`, {
        tool_outputs: outputsFor(run),
        stream: true,
      });
      requireCompleted(text);
      await forgetSome(client, run);
    },
  },
  search: {
    share: 8,
    async live({ client, assistants }) {
      const text = await streamed(client, assistants.search, '/search weather in Paris');
      requireCompleted(text);
      await forgetSome(client, runIn(text));
    },
  },
  code: {
    share: 1,
    async live({ client, assistants }) {
      const run = await client.ended(await client.begin(assistants.code, '/python print(6 * 7)'), LATE_MS);
      requireStatus(run, ['completed']);
      await forgetSome(client, run);
    },
  },
  cancelled: {
    share: 10,
    async live({ client, assistants }) {
      const run = await client.begin(assistants.slow, LONG);
      await sleep(Math.random() * 1500);
      const answer = await client.send('POST', `/threads/${run.thread_id}/runs/${run.id}/cancel`);
      await answer.text();
      require(answer.status === 200 || answer.status === 400, `Cancelling was answered ${answer.status}.`);
      requireStatus(
        await client.ended({ ...run, status: 'cancelling' }, LATE_MS),
        answer.status === 200 ? ['cancelled'] : ['completed'],
      );
      await runAgain(client, assistants, run);
    },
  },
  leaving: {
    share: 10,
    async live({ client, assistants }) {
      const { id } = await client.json<{ id: string }>('POST', '/threads', { messages: messagesOf(LONG) });
      const left = new AbortController();
      const body = { assistant_id: assistants.slow, stream: true };
      const answer = await client.send('POST', `/threads/${id}/runs`, body, left.signal);
      require(answer.status === 200, `A stream was answered ${answer.status}.`);
      await sleep(Math.random() * 1000);
      left.abort();
      const { data } = await client.json<{ data: Run[] }>('GET', `/threads/${id}/runs`);
      for (const run of data) requireStatus(await client.ended(run, LATE_MS), ['completed']);
      require(data.length === 1, `A thread has ${data.length} runs.`);
    },
  },
  deleted: {
    share: 3,
    async live({ client, assistants }) {
      const run = await client.begin(assistants.slow, LONG);
      await sleep(Math.random() * 1000);
      await client.json('DELETE', `/threads/${run.thread_id}`);
      const { status } = await client.send('GET', `/threads/${run.thread_id}/runs/${run.id}`);
      require(status === 404, `A run of a deleted thread was answered ${status}.`);
    },
  },
  failing: {
    share: 2,
    async live({ client, assistants }) {
      const run = await client.ended(await client.begin(assistants.plain, '/fail 503'), LATE_MS);
      requireStatus(run, ['failed']);
      await runAgain(client, assistants, run, ['failed']);
    },
  },
  expired: {
    share: 1,
    last: EXPIRY_MS + EXPIRY_SEEN_MS,
    async live({ client, assistants }) {
      const run = await client.ended(await client.begin(assistants.tool, '/tool Wait for me'), LATE_MS);
      requireStatus(run, ['requires_action']);
      await sleep(EXPIRY_MS);
      requireStatus(await client.read(run), ['expired']);
      const path = `/threads/${run.thread_id}/runs/${run.id}/submit_tool_outputs`;
      const late = await client.send('POST', path, { tool_outputs: outputsFor(run) });
      require(late.status === 400, `Outputs that come too late were answered ${late.status}.`);
      await runAgain(client, assistants, run);
    },
  },
} as const satisfies Record<string, Kind>;

/** A thread whose run has ended is free for the next one. */
async function runAgain(
  client: RunClient,
  { plain }: Assistants,
  { thread_id: threadId }: Run,
  expected: readonly string[] = ['completed'],
): Promise<void> {
  const run = await client.json<Run>('POST', `/threads/${threadId}/runs`, { assistant_id: plain });
  requireStatus(await client.ended(run, LATE_MS), expected);
}

export type KindName = keyof typeof kinds;
