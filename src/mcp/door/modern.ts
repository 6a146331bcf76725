import type { ServerResponse } from 'node:http';
import { RequestAnswer } from '../exchange/answer.ts';
import { requireModernShape } from '../exchange/era.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { CallerMessage } from '../exchange/receive.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { answerRequest, type RequestDependencies, takesEvents } from './requests.ts';

/** Answers a POST of the era without a handshake. */
export async function answerModern(
  visit: McpVisit,
  server: McpServerRecord,
  { message, raw, response }: { message: CallerMessage; raw: Buffer; response: ServerResponse },
  dependencies: RequestDependencies,
): Promise<void> {
  if (message.kind === 'notification') return void response.writeHead(202).end();
  if (message.kind === 'response')
    throw new RpcFailure(rpc.invalidRequest, 'Invalid request: nothing was asked.', { status: 400 });
  requireModernShape(message, visit.headers);
  const answer = new RequestAnswer(response, takesEvents(visit.headers));
  await answerRequest({ visit, server, message, answer, raw }, dependencies);
}
