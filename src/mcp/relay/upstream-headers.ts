import { traceparentOf } from '../../dataplane/call/trace.ts';
import { credentialFailure } from '../lines/asked-failure.ts';
import { forwardedHeaders, type UpstreamCredentials } from '../lines/credentials.ts';
import { UpstreamProblem } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';

type Headers = Readonly<Record<string, string>>;

/** What every message of a call to its server has in its head, in lower case. Throws an RpcFailure. */
export async function upstreamHeaders(call: RelayCall, credentials: UpstreamCredentials): Promise<Headers> {
  const { server, visit } = call;
  const { configurations } = server.upstream;
  try {
    const found = credentials.headersFor(server, visit.caller, () => {
      call.facts.tokenRefreshed = true;
    });
    const credential = found instanceof Promise ? await found : found;
    call.credential = credential;
    const trace = traceparentOf(visit.trace, visit.trace);
    return {
      ...forwardedHeaders(configurations, visit.headers),
      ...(trace !== null && { traceparent: trace }),
      ...lowered(credential),
    };
  } catch (error) {
    if (error instanceof UpstreamProblem) throw credentialFailure(server, error);
    throw error;
  }
}

const lowered = (headers: Headers): Record<string, string> => {
  const names: Record<string, string> = {};
  for (const name in headers) names[name.toLowerCase()] = headers[name] ?? '';
  return names;
};
