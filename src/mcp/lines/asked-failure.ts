import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { UpstreamFault, UpstreamProblem } from '../upstream/index.ts';
import type { AskedServer } from './ask.ts';

/** Faults with which no message can have reached the server. */
const unreached: ReadonlySet<UpstreamFault> = new Set(['address', 'connect', 'tls', 'credential']);

/** False where a message cannot have reached the server. */
export const hasReached = ({ status, problem }: Pick<AskedServer, 'status' | 'problem'>): boolean =>
  status !== 0 || problem === null || !unreached.has(problem.fault);

/**
 * What a caller gets to know of a message that was not answered. `wasSent`: the message does something, so that it matters
 * whether the server may have seen it.
 */
export function failureOf(
  { slug }: Pick<McpServerRecord, 'slug'>,
  { status, problem, cut, response, retryAfterMs }: AskedServer,
  { wasSent }: { wasSent: boolean },
): RpcFailure {
  const data = (maybeExecuted: boolean) => ({ server: slug, maybe_executed: wasSent && maybeExecuted });
  if (cut !== null)
    return new RpcFailure(rpc.timeout, `The MCP server ${slug} did not answer in time.`, {
      data: data(true),
    });
  if (problem?.fault === 'too_large')
    return new RpcFailure(rpc.tooLarge, `The answer of ${slug} is larger than the gateway takes.`, {
      data: data(true),
    });
  if (status === 429 || status === 503)
    return new RpcFailure(rpc.unreachable, `The MCP server ${slug} takes no requests now.`, {
      data: { ...data(false), ...(retryAfterMs !== null && { retry_after_ms: retryAfterMs }) },
    });
  if (status === 401 || status === 403)
    return new RpcFailure(rpc.upstream, `The MCP server ${slug} refused the gateway's credential.`, {
      data: data(false),
    });
  if (problem && status === 0) return withoutAnswer(slug, problem, data);
  if (status >= 300 || response)
    return new RpcFailure(rpc.upstream, `The MCP server ${slug} answered HTTP ${status}.`, {
      data: data(status >= 500),
    });
  return new RpcFailure(rpc.upstream, `The MCP server ${slug} ended before it answered.`, {
    data: data(true),
  });
}

function withoutAnswer(
  slug: string,
  { fault }: UpstreamProblem,
  data: (maybeExecuted: boolean) => object,
): RpcFailure {
  const why = fault === 'timeout' ? 'could not be reached in time' : 'cannot be reached';
  return new RpcFailure(rpc.unreachable, `The MCP server ${slug} ${why}.`, {
    data: data(!unreached.has(fault)),
  });
}

/** What a caller gets to know of a credential that could not be had. */
export const credentialFailure = (
  { slug }: Pick<McpServerRecord, 'slug'>,
  problem: UpstreamProblem,
): RpcFailure =>
  new RpcFailure(rpc.upstream, `The gateway has no credential for the MCP server ${slug}.`, {
    data: { server: slug, maybe_executed: false },
    cause: problem,
  });
