import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { RequestAnswer } from '../exchange/answer.ts';
import { requireModernShape } from '../exchange/era.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { CallerMessage } from '../exchange/receive.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { type ListenDependencies, listen } from './listen.ts';
import { requireParameterHeaders } from './parameter-headers.ts';
import { answerHere, answerRequest, type RequestDependencies, takesEvents } from './requests.ts';

/** Answers a POST of the era without a handshake. */
export function answerModern(
  visit: McpVisit,
  server: McpServerRecord,
  { message, raw, response }: { message: CallerMessage; raw: Buffer; response: ServerResponse },
  dependencies: RequestDependencies & ListenDependencies,
): Promise<void> | void {
  if (message.kind === 'notification') return void response.writeHead(202).end();
  if (message.kind === 'response')
    throw new RpcFailure(rpc.invalidRequest, 'Invalid request: nothing was asked.', { status: 400 });
  if (message.method === 'subscriptions/listen')
    return listening(visit, server, { message, raw, response }, dependencies);
  const answer = new RequestAnswer(response, takesEvents(visit.headers));
  const given = { visit, server, message, answer, raw };
  const problem = shapeProblem(message, server, visit.headers);
  if (problem) return refuseRequest(given, problem, dependencies);
  return answerRequest(given, dependencies);
}

const refuseRequest = (
  given: Parameters<typeof answerHere>[0],
  problem: RpcFailure,
  dependencies: Pick<RequestDependencies, 'record'>,
): Promise<void> => answerHere(given, dependencies, () => Promise.reject(problem));

/** Refusals of a subscription name its request, as those of every other do. */
async function listening(
  visit: McpVisit,
  server: McpServerRecord,
  given: { message: CallerMessage & { kind: 'request' }; raw: Buffer; response: ServerResponse },
  dependencies: RequestDependencies & ListenDependencies,
): Promise<void> {
  const { message, raw, response } = given;
  try {
    requireModernShape(message, visit.headers);
    listen(visit, server, message, { response, ...dependencies });
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    const answer = new RequestAnswer(response, false);
    await refuseRequest({ visit, server, message, answer, raw }, error, dependencies);
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
