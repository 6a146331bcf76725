import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../call/call.ts';

export type ToolsAnswer = { status: number; headers: OutgoingHttpHeaders; body: Buffer };

/**
 * Has a model answer, runs the tools of MCP servers that it calls, and asks it again, until it has its last word. Throws a
 * GatewayError for what is not taken.
 */
export type ToolRunner = (call: Call) => Promise<ToolsAnswer>;

/** Answers a call whose model has tools that the gateway runs. */
export async function answerWithTools(call: Call, run: ToolRunner): Promise<void> {
  const { response, trace, requestId } = call;
  const { status, headers, body } = await run(call);
  response.writeHead(status, {
    ...headers,
    ...{ 'x-gateway-trace-id': trace.traceId, 'x-gateway-request-id': requestId },
    'content-length': String(body.length),
  });
  response.end(body);
}
