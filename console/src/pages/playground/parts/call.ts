import { createParser } from 'eventsource-parser';
import { type GuardrailRan, guardrailsTold } from '../../../checks/ran.ts';
import { workspaceHeader } from '../../../data/run.ts';
import type { ToolPiece } from './tool-calls.ts';

export type Called = {
  body: unknown;
  /** Slug of a config; empty for none. */
  config: string;
  /** Below `/v1`. */
  path: string;
  workspace: string | null;
  signal: AbortSignal;
};

export type Heard = {
  onText(text: string): void;
  onTools(pieces: readonly ToolPiece[]): void;
  /** What guardrails came to by now: more may follow in an event of its own. */
  onChecks(ran: readonly GuardrailRan[]): void;
};

/** What came of a call: its status, and where its log is found. */
export type Ended = { status: number; trace: string | null; milliseconds: number; error: string | null };

/** Calls through the console's own door to inference, as whoever is signed in. Rejects with an AbortError once it is stopped. */
export async function callModel(called: Called, heard: Heard): Promise<Ended> {
  const { body, config, path, workspace, signal } = called;
  const started = performance.now();
  const response = await fetch(new URL(`v1/${path}`, document.baseURI), {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      ...workspaceHeader(workspace),
      ...(config !== '' && { 'x-gateway-config': config }),
    },
    body: JSON.stringify(body),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const error = response.ok && isStream ? await follow(response, heard) : await readWhole(response, heard);
  return {
    status: response.status,
    trace: response.headers.get('x-gateway-trace-id'),
    milliseconds: performance.now() - started,
    error,
  };
}

type Frame = {
  choices?: { delta?: { content?: unknown; tool_calls?: readonly ToolPiece[] } }[];
  delta?: unknown;
  error?: { message?: string };
  hook_results?: unknown;
};

/** Reads an event stream to its end; answers what it says of an error in the midst of it. */
async function follow(response: Response, { onText, onTools, onChecks }: Heard): Promise<string | null> {
  let error: string | null = null;
  const parser = createParser({
    onEvent({ data }) {
      const frame = parse(data) as Frame | null;
      if (!frame) return;
      const delta = frame.choices?.[0]?.delta;
      if (typeof delta?.content === 'string') onText(delta.content);
      else if (delta?.tool_calls) onTools(delta.tool_calls);
      else if (typeof frame.delta === 'string') onText(frame.delta);
      if (frame.hook_results) onChecks(guardrailsTold(frame));
      if (frame.error) error = frame.error.message ?? 'The stream broke off.';
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return error;
    parser.feed(piece.value);
  }
}

/** An answer that is no stream: what it says, or why it is refused. */
async function readWhole(response: Response, { onText, onTools, onChecks }: Heard): Promise<string | null> {
  const text = await response.text();
  const answer = parse(text) as {
    error?: { message?: string };
    choices?: { message?: { content?: unknown; tool_calls?: readonly ToolPiece[] } }[];
  } | null;
  onChecks(guardrailsTold(answer));
  if (!response.ok) return answer?.error?.message ?? text.slice(0, 2000);
  const { content, tool_calls: tools } = answer?.choices?.[0]?.message ?? {};
  if (tools) onTools(tools);
  if (tools && !content) return null;
  onText(typeof content === 'string' ? content : JSON.stringify(answer ?? text, null, 2));
  return null;
}

/** `[DONE]` is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
