import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Call } from '../call/call.ts';

export type ToolsAnswer = {
  status: number;
  headers: OutgoingHttpHeaders;
  /** Bytes, or what writes events until there are no more; a promise of `write` asks to wait for the caller. */
  body: Buffer | ((write: WriteEvents) => Promise<void>);
};

export type WriteEvents = (text: string) => Promise<void>;

/**
 * Has a model answer, runs the tools of MCP servers that it calls, and asks it again, until it has its last word. Throws a
 * GatewayError for what is not taken.
 */
export type ToolRunner = (call: Call) => Promise<ToolsAnswer>;

/** Milliseconds between two comments on a stream while tools are at work. */
const COMMENT_MS = 15_000;

/** Answers a call whose model has tools that the gateway runs. */
export async function answerWithTools(call: Call, run: ToolRunner): Promise<void> {
  const { response, trace, requestId, disconnect } = call;
  const { status, headers, body } = await run(call);
  const own = { 'x-gateway-trace-id': trace.traceId, 'x-gateway-request-id': requestId };
  if (Buffer.isBuffer(body)) {
    response.writeHead(status, { ...headers, ...own, 'content-length': String(body.length) });
    response.end(body);
    return;
  }
  response.writeHead(status, { ...headers, ...own });
  const comments = setInterval(() => response.write(': open\n\n'), COMMENT_MS);
  try {
    await body(writerTo(response, disconnect.signal));
  } finally {
    clearInterval(comments);
    response.end();
  }
}

const writerTo =
  (response: ServerResponse, signal: AbortSignal): WriteEvents =>
  async (text) => {
    if (text === '' || signal.aborted || response.write(text)) return;
    // A caller that leaves has nothing to be waited for.
    await once(response, 'drain', { signal }).catch(() => undefined);
  };
