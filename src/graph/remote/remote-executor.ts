import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionResult, GraphQLError, print } from 'graphql';
import type { Dispatcher } from 'undici';
import { redactText } from '../../lib/redaction.ts';
import type { RemoteSubgraph } from '../../settings/graph/remote-subgraphs.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { conform } from './conform.ts';
import { type Answer, postQuery } from './post-query.ts';
import { RemoteError } from './remote-error.ts';
import type { SubgraphExecutor } from './stitch/stitched-schema.ts';

/** Bytes of the largest answer that is taken from a remote subgraph. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_ERRORS = 100;
const MAX_MESSAGE = 1000;

/** Asks a remote subgraph over HTTP. It always has a result: what goes wrong is an error of the fields that were asked. */
export function remoteExecutor(remote: RemoteSubgraph, dispatcher: Dispatcher): SubgraphExecutor {
  const { name } = remote;
  return async ({ document, variables = {}, context, schema }): Promise<ExecutionResult> => {
    try {
      const answer = await postQuery(
        remote,
        { query: print(document), variables },
        {
          dispatcher,
          headers: context ? headersFor(remote, context) : remote.headers,
          maxBytes: MAX_ANSWER_BYTES,
          signal: context?.signal,
        },
      );
      const errors = answer.errors.slice(0, MAX_ERRORS).map((error) => errorOf(name, error));
      const { data, isSound } = conform({ schema, document, variables, data: answer.data });
      if (isSound || errors.length > 0) return { data, errors };
      return { data, errors: [unsound(name)] };
    } catch (cause) {
      if (!context?.signal?.aborted) {
        const { id: requestId } = context?.request ?? {};
        context?.log.warn({ subgraph: name, requestId, error: cause }, 'A remote subgraph did not answer.');
      }
      return { data: null, errors: [wrapped(new RemoteError(name, { cause }))] };
    }
  };
}

/** The headers that tell the remote who calls; the credential itself only when the settings forward that header. */
function headersFor(
  { headers, forwardHeaders }: RemoteSubgraph,
  { request, principal }: GraphContext,
): Record<string, string> {
  return {
    ...forwarded(request.headers, forwardHeaders),
    ...headers,
    'x-request-id': request.id,
    ...(principal && { 'x-gateway-organisation-id': principal.organisationId }),
    ...(principal?.workspaceId && { 'x-gateway-workspace-id': principal.workspaceId }),
  };
}

function forwarded(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

/** Message, code and path of a remote's error; whatever else it says may be private. */
function errorOf(subgraph: string, error: Answer['errors'][number]): GraphQLError {
  const { message, path, extensions } = error;
  const { code } = (extensions ?? {}) as { code?: unknown };
  return wrapped(
    new RemoteError(subgraph, {
      message: redactText(typeof message === 'string' ? message : '').slice(0, MAX_MESSAGE),
      code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'SUBGRAPH_ERROR',
    }),
    Array.isArray(path) ? path.filter((step) => typeof step === 'string' || typeof step === 'number') : [],
  );
}

const unsound = (subgraph: string): GraphQLError =>
  wrapped(
    new RemoteError(subgraph, {
      code: 'SUBGRAPH_ERROR',
      message: `The subgraph ${subgraph} answered what its schema does not allow.`,
    }),
  );

const wrapped = (originalError: RemoteError, path: (string | number)[] = []): GraphQLError =>
  new GraphQLError(originalError.message, { originalError, ...(path.length > 0 && { path }) });
