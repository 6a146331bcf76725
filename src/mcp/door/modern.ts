import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { RequestAnswer } from '../exchange/answer.ts';
import { requireModernShape } from '../exchange/era.ts';
import { errorText, RpcFailure, rpc } from '../exchange/failure.ts';
import type { CallerMessage } from '../exchange/receive.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { listen } from './listen.ts';
import type { McpStreams } from './open-streams.ts';
import { requireParameterHeaders } from './parameter-headers.ts';
import { answerRequest, type RequestDependencies, takesEvents } from './requests.ts';

/** Answers a POST of the era without a handshake. */
export async function answerModern(
  visit: McpVisit,
  server: McpServerRecord,
  { message, raw, response }: { message: CallerMessage; raw: Buffer; response: ServerResponse },
  dependencies: RequestDependencies & { streams: McpStreams },
): Promise<void> {
  if (message.kind === 'notification') return void response.writeHead(202).end();
  if (message.kind === 'response')
    throw new RpcFailure(rpc.invalidRequest, 'Invalid request: nothing was asked.', { status: 400 });
  if (message.method === 'subscriptions/listen')
    return listening(visit, server, message, { response, streams: dependencies.streams });
  const answer = new RequestAnswer(response, takesEvents(visit.headers));
  const problem = shapeProblem(message, server, visit.headers);
  if (problem) return answer.end(errorText(problem, message.id), problem.status);
  await answerRequest({ visit, server, message, answer, raw }, dependencies);
}

/** Refusals of a subscription name its request, as those of every other do. */
function listening(
  visit: McpVisit,
  server: McpServerRecord,
  message: CallerMessage & { kind: 'request' },
  way: { response: ServerResponse; streams: McpStreams },
): void {
  try {
    requireModernShape(message, visit.headers);
    listen(visit, server, message, way);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    const answer = new RequestAnswer(way.response, false);
    answer.end(errorText(error, message.id), error.status, error.headers);
  }
}

function shapeProblem(
  message: CallerMessage & { kind: 'request' },
  server: McpServerRecord,
  headers: IncomingHttpHeaders,
): RpcFailure | null {
  try {
    requireModernShape(message, headers);
    if (message.method === 'tools/call') requireParameterHeaders(server, message.params, headers);
    return null;
  } catch (error) {
    if (error instanceof RpcFailure) return error;
    throw error;
  }
}
