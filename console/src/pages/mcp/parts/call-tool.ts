import { createParser } from 'eventsource-parser';
import { workspaceHeader } from '../../../data/run.ts';

export type ToolCall = {
  /** Slug of the server. */
  server: string;
  /** Id of its workspace. */
  workspace: string;
  tool: string;
  input: Record<string, unknown>;
};

/** What came of a call: its result, or why there is none, and the message as it came. */
export type ToolAnswer = { isFailed: boolean; text: string; message: unknown; milliseconds: number };

type Message = {
  id?: unknown;
  error?: { message?: string };
  result?: { isError?: boolean; content?: { type: string; text?: string }[] };
};

const ID = 1;

/** Calls a tool through the console's own door, as whoever is signed in. */
export async function callTool({ server, workspace, tool, input }: ToolCall): Promise<ToolAnswer> {
  const started = performance.now();
  const response = await fetch(new URL(`v1/mcp/${server}`, document.baseURI), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...workspaceHeader(workspace),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: ID,
      method: 'tools/call',
      params: { name: tool, arguments: input },
    }),
  });
  const message = messageIn(await response.text());
  const milliseconds = performance.now() - started;
  if (message === null) throw new Error(`The service answered ${response.status}, and no message.`);
  const { error, result } = message;
  const text = error
    ? (error.message ?? `The service answered ${response.status}.`)
    : (result?.content ?? []).map((part) => part.text ?? `(${part.type})`).join('\n');
  return { isFailed: error !== undefined || result?.isError === true, text, message, milliseconds };
}

/** The answer to the call: the whole body, or one of the events of a stream. */
function messageIn(body: string): Message | null {
  const messages: Message[] = [];
  const take = (text: string) => {
    try {
      messages.push(JSON.parse(text) as Message);
    } catch {
      // An event that is no message is none of ours.
    }
  };
  if (/^\s*\{/.test(body)) take(body);
  else createParser({ onEvent: ({ data }) => take(data) }).feed(body);
  return messages.find(({ result, error }) => result !== undefined || error !== undefined) ?? null;
}
