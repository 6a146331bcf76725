import { createParser } from 'eventsource-parser';
import { workspaceHeader } from '../../../data/run.ts';

export type ServerPlace = {
  /** Slug of the server. */
  server: string;
  /** Id of its workspace. */
  workspace: string;
};

export type ToolCall = ServerPlace & { tool: string; input: Record<string, unknown> };

/** What came of a request: its result, or why there is none, and the message as it came. */
export type ServerAnswer = {
  isFailed: boolean;
  text: string;
  message: unknown;
  milliseconds: number;
  /** Where the user signs in at the server, which the request has to wait for; null for nothing of that sort. */
  signInAt: string | null;
};

type Message = {
  id?: unknown;
  error?: { message?: string; data?: { type?: string; authorization_url?: unknown } };
  result?: { isError?: boolean; content?: { type: string; text?: string }[] };
};

const ID = 1;

/** Calls a tool as whoever is signed in. */
export const callTool = ({ tool, input, ...place }: ToolCall): Promise<ServerAnswer> =>
  ask(place, 'tools/call', { name: tool, arguments: input });

/** Greets a server as whoever is signed in: before there is a tool to call, that tells whether they have to sign in there. */
export const greet = (place: ServerPlace): Promise<ServerAnswer> =>
  ask(place, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'console', version: '1' },
  });

/** Asks a server through the console's own door. */
async function ask(
  { server, workspace }: ServerPlace,
  method: string,
  params: object,
): Promise<ServerAnswer> {
  const started = performance.now();
  const response = await fetch(new URL(`v1/mcp/${server}`, document.baseURI), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...workspaceHeader(workspace),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ID, method, params }),
  });
  const message = messageIn(await response.text());
  const milliseconds = performance.now() - started;
  if (message === null) throw new Error(`The service answered ${response.status}, and no message.`);
  const { error, result } = message;
  const text = error
    ? (error.message ?? `The service answered ${response.status}.`)
    : (result?.content ?? []).map((part) => part.text ?? `(${part.type})`).join('\n');
  const signInAt = ownAddress(error?.data?.authorization_url);
  return { isFailed: error !== undefined || result?.isError === true, text, message, milliseconds, signInAt };
}

/** A server may send any text in its errors: what leads to a sign-in is an address of the gateway itself. */
const ownAddress = (given: unknown): string | null =>
  typeof given === 'string' && URL.canParse(given) && new URL(given).origin === location.origin
    ? given
    : null;

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
