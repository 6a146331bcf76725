import type { JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { RelayCall } from './call.ts';
import { callUpstream, type UpstreamDependencies, type UpstreamReply } from './call-upstream.ts';
import { serverInfoOf } from './hello.ts';
import { noteLinks, subjectOf } from './subject.ts';
import { codeFor, resultFor } from './to-caller.ts';

/** What is done around a call, between what it is about and its server. */
export type McpRelay = (call: RelayCall) => Promise<void>;

/** Requests that go to the server behind an MCP server. */
export const relayedMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

/** Answers a request with what its server says. Throws an RpcFailure where it has nothing to say. */
export const createRelay = (dependencies: UpstreamDependencies): McpRelay =>
  async function relay(call) {
    requireCapability(call);
    const reply = await callUpstream(call, call.params, dependencies);
    if (call.isOver) return;
    if (reply.error) answerError(call, reply.error, reply.text);
    else answer(call, reply);
  };

function requireCapability(call: RelayCall): void {
  const { server, method, params, facts } = call;
  facts.subject = String(params.name ?? params.uri ?? '').slice(0, 2048);
  try {
    const { name, capability } = subjectOf(server, method, params);
    facts.subject = name;
    facts.definitionHash = capability?.hash ?? null;
  } catch (error) {
    if (error instanceof RpcFailure) facts.refusedBy = 'capability';
    throw error;
  }
}

/** The text of the server is passed on where nothing of it has to be different. */
function answer(call: RelayCall, { result, text, line }: UpstreamReply): void {
  const { visit, server, method } = call;
  const said = result ?? {};
  if (said.resultType === 'input_required' && visit.era === 'legacy')
    throw new RpcFailure(
      rpc.upstream,
      `The MCP server ${server.slug} asks for something that the caller cannot give.`,
    );
  noteLinks(server, said);
  const given = { era: line.era, serverInfo: serverInfoOf(server) };
  const shown = resultFor(visit, method, said, given);
  if (shown === said) call.relay(text, said.isError === true);
  else call.succeed(shown);
}

function answerError(call: RelayCall, error: NonNullable<UpstreamReply['error']>, text: string): void {
  const { visit } = call;
  const code = codeFor(visit.era, error.code);
  const status = visit.era === 'modern' && code === rpc.methodNotFound ? 404 : 200;
  call.relayError(code === error.code ? text : errorFor(call, error, code), code, status);
}

/** An error in words that its caller knows. */
function errorFor(
  { id, method }: RelayCall,
  { message, data }: NonNullable<UpstreamReply['error']>,
  code: number,
): string {
  const error: JsonObject =
    code === rpc.upstream
      ? { code, message: `The MCP server did not understand ${method}.` }
      : { code, message, ...(data !== undefined && { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
