import { traceparentOf } from '../../dataplane/call/trace.ts';
import { credentialFailure } from '../lines/asked-failure.ts';
import { forwardedHeaders, type UpstreamCredentials } from '../lines/credentials.ts';
import { UpstreamProblem } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';

type Headers = Readonly<Record<string, string>>;

/** What every message of a call to its server has in its head, in lower case. Throws, or rejects with, an RpcFailure. */
export function upstreamHeaders(
  call: RelayCall,
  credentials: UpstreamCredentials,
): Headers | Promise<Headers> {
  const { server, visit } = call;
  const failed = (error: unknown): never => {
    throw error instanceof UpstreamProblem ? credentialFailure(server, error) : error;
  };
  try {
    const found = credentials.headersFor(server, visit.caller, () => {
      call.facts.tokenRefreshed = true;
    });
    return found instanceof Promise
      ? found.then((credential) => withCredential(call, credential)).catch(failed)
      : withCredential(call, found);
  } catch (error) {
    return failed(error);
  }
}

function withCredential(call: RelayCall, credential: Headers): Headers {
  const { server, visit } = call;
  call.credential = credential;
  const headers = forwardedHeaders(server.upstream.configurations, visit.headers);
  const trace = traceparentOf(visit.trace, visit.trace);
  if (trace !== null) headers.traceparent = trace;
  for (const name in credential) headers[name.toLowerCase()] = credential[name] ?? '';
  return headers;
}
