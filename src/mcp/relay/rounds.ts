import { isObject, type JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { mayAsk, shownCapabilities } from '../lines/features.ts';
import type { McpSession, Replies } from '../session/index.ts';
import type { RelayCall } from './call.ts';

/** How often a server may ask before it answers. */
const MAX_ROUNDS = 10;
const MAX_QUESTIONS = 20;

/**
 * Asks a caller of the older era, on the stream of its request, for what a server of the modern one wants to know before it
 * answers. The params with which the server is to be asked again. Throws an RpcFailure where the caller cannot say it.
 */
export async function asked(
  call: RelayCall,
  params: JsonObject,
  { inputRequests, requestState }: JsonObject,
  replies: Replies,
): Promise<JsonObject> {
  const { visit, facts, server } = call;
  const { session } = visit;
  facts.rounds++;
  const questions = Object.entries(isObject(inputRequests) ? inputRequests : {});
  if (facts.rounds > MAX_ROUNDS || questions.length > MAX_QUESTIONS)
    throw cannot(call, 'asks for too much before it answers');
  if (session === null || !call.answer.streams)
    throw cannot(call, 'asks for something that the caller cannot give');
  const shown = shownCapabilities(session.capabilities, server.upstream.configurations);
  const answers = await Promise.all(
    questions.map(async ([name, question]) => {
      if (!isObject(question) || !mayAsk(question.method, question.params, shown))
        throw cannot(call, 'asks for something that the caller cannot give');
      return [name, await answerTo(call, session, question, replies)] as const;
    }),
  );
  const { inputResponses: _before, requestState: _state, ...rest } = params;
  return {
    ...rest,
    ...(questions.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(typeof requestState === 'string' && { requestState }),
  };
}

async function answerTo(
  call: RelayCall,
  session: McpSession,
  { method, params }: JsonObject,
  replies: Replies,
): Promise<JsonObject> {
  const id = replies.idFor(session);
  call.answer.notify(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }));
  const value = await replies.wait(id, () => !call.isOver);
  if (value === null)
    throw new RpcFailure(rpc.timeout, `The caller did not answer what ${call.server.slug} asked.`, {
      data: { server: call.server.slug, maybe_executed: false },
    });
  if (!isObject(value.result)) throw cannot(call, 'asked for something that the caller refused');
  return value.result;
}

const cannot = ({ server: { slug } }: RelayCall, why: string): RpcFailure =>
  new RpcFailure(rpc.upstream, `The MCP server ${slug} ${why}.`, {
    data: { server: slug, maybe_executed: false },
  });
