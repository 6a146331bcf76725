import type { ServerResponse } from 'node:http';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { errorHeaders, GatewayError, publicText } from '../../errors/index.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { causeOf } from './errors.ts';
import { withoutQuotedSecrets } from './quoted-values.ts';

/** Codes under which GraphQL itself refuses a request; their messages are about the caller's own text. */
const callerCodes = new Set<unknown>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

function extensionsOf(error: GatewayError): Record<string, unknown> {
  const { code, entry, param, errors } = error;
  if (error instanceof RemoteError && error.remoteCode !== null) {
    return { code: error.remoteCode, subgraph: error.subgraph };
  }
  return {
    code,
    http: { status: entry.status },
    ...(param !== null && { param }),
    ...(errors && { errors }),
    ...(error instanceof RemoteError && { subgraph: error.subgraph }),
  };
}

/** What callers see of an error: catalogue name, status and the field at fault; never the inside of a defect. */
export function formatGraphError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const message = isTooDeep(error) ? tooDeep : publicText(withoutQuotedSecrets(formatted.message));
  if (callerCodes.has(formatted.extensions?.code)) return { ...formatted, message };
  if (isUncodedRefusal(error)) return { ...formatted, message, extensions: { code: 'BAD_REQUEST' } };
  const cause = causeOf(error);
  return { ...formatted, message: cause.message, extensions: extensionsOf(cause) };
}

const tooDeep = 'The document is nested too deeply.';

/** The message of the parser for a document that overflows its stack; Apollo Server wraps it twice. */
function isTooDeep(error: unknown): boolean {
  if (!(error instanceof GraphQLError) || error.path) return error instanceof RangeError;
  return isTooDeep(error.originalError);
}

/** Messages of refusals to which Apollo Server gives no code, such as a hash that does not belong to the text. */
const isUncodedRefusal = (error: unknown): boolean =>
  error instanceof GraphQLError &&
  error.originalError === undefined &&
  error.path === undefined &&
  (error.extensions.http as { status?: unknown } | undefined)?.status === 400;

/** An error that ends the request before anything runs: it also decides the HTTP status. */
export const requestError = (cause: GatewayError): GraphQLError =>
  new GraphQLError(cause.message, {
    originalError: cause,
    extensions: { http: { status: cause.entry.status } },
  });

/** Answers what is wrong with a body, or with the address of a page, in the shape of GraphQL errors. */
export const answerBodyError = (response: ServerResponse, error: object): void =>
  answerGraphError(response, bodyError(error));

/** Answers a request that never became an operation in the shape of GraphQL errors. */
export function answerGraphError(response: ServerResponse, cause: GatewayError): void {
  // A caller whose body was too slow has been answered before its connection ends.
  if (response.headersSent) return;
  response.writeHead(cause.entry.status, {
    'content-type': 'application/json; charset=utf-8',
    ...errorHeaders(cause),
    // The unread rest of a body would be taken for the next request on the connection.
    ...(!response.req.complete && { connection: 'close' }),
  });
  response.end(JSON.stringify({ errors: [{ message: cause.message, extensions: extensionsOf(cause) }] }));
}

function bodyError(error: { status?: unknown }): GatewayError {
  if (error instanceof GatewayError) return error;
  if (typeof error.status === 'number' && error.status < 500) {
    return new GatewayError('MALFORMED_BODY', { cause: error });
  }
  return new GatewayError('INTERNAL', { cause: error });
}
