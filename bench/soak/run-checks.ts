import type { Run, RunClient } from './run-client.ts';

export const messagesOf = (content: string) => [{ role: 'user', content }];

export const streamed = (client: RunClient, assistant: string, content: string): Promise<string> =>
  client.events('/threads/runs', {
    assistant_id: assistant,
    thread: { messages: messagesOf(content) },
    stream: true,
  });

export const outputsFor = ({ required_action: asked }: Run) =>
  (asked?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({ tool_call_id: id, output: 'Seen.' }));

export const runIn = (events: string): Run =>
  JSON.parse(/^event: thread\.run\.created\ndata: (.*)$/m.exec(events)?.[1] ?? '') as Run;

export function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

export function requireCompleted(events: string): void {
  const isCompleted = events.includes('event: thread.run.completed');
  require(isCompleted, `A stream ended without its run being completed: ${events.slice(-1500)}`);
}

export const requireStatus = ({ status }: Run, expected: readonly string[]): void =>
  require(expected.includes(status), `A run is ${status} in place of ${expected.join(' or ')}.`);

/** Half of the threads are deleted by those who have read them. */
export async function forgetSome(client: RunClient, { thread_id: threadId }: Run): Promise<void> {
  if (Math.random() < 0.5) await client.json('DELETE', `/threads/${threadId}`);
}
