import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { createHandler, type Response as Refusal, type RequestParams } from 'graphql-sse';
import { type ErrorName, GatewayError } from '../../../errors/index.ts';
import type { BodyRequest } from '../body.ts';
import { toGraphError } from '../errors.ts';
import { answerGraphError, requestError } from '../http-errors.ts';
import { requestIdOf } from '../request-id.ts';
import { formatResult, type Operations } from './operations.ts';
import { createOutlet, type Outlet } from './outlet.ts';
import type { Session, Sessions } from './sessions.ts';

export type EventStreams = {
  /** Answers `/graphql/stream`. */
  handle(request: BodyRequest, response: ServerResponse): Promise<void>;
  /** Ends every stream in the middle, which tells clients to come again, and takes no new ones. */
  stop(): void;
};

type Connection = { outlet: Outlet; session: Session };

/** The graph over server-sent events, protocol `graphql-sse`, one connection an operation. */
export function createEventStreams(operations: Operations, sessions: Sessions): EventStreams {
  const outlets = new Set<Outlet>();
  let stopping = false;

  const handler = createHandler<IncomingMessage, Connection, undefined>({
    // Without a token there is no connection that several operations share.
    authenticate: () => null,
    onSubscribe: async ({ context }, params) => admit(context.session, params),
    // `admit` has validated the operation already.
    validate: () => [],
    execute: operations.execute,
    subscribe: operations.subscribe as typeof operations.execute,
    async onNext(_context, { context }, result) {
      await context.outlet.room();
      return formatResult(result as ExecutionResult) as ExecutionResult;
    },
  });

  /** Errors travel in the stream, as the protocol wants it. */
  async function admit(session: Session, params: RequestParams) {
    try {
      const admitted = await operations.admit(params, session);
      if (!('schema' in admitted)) return single({ errors: admitted });
      return admitted as typeof admitted & { contextValue: undefined };
    } catch (error) {
      return single({ errors: [requestError(toGraphError(error))] });
    }
  }

  async function stream(request: BodyRequest, response: ServerResponse): Promise<void> {
    const requestId = requestIdOf(request);
    response.setHeader('x-request-id', requestId);
    if (stopping) throw new GatewayError('STORE_UNAVAILABLE', { message: 'The server is stopping.' });
    requireStreamable(request);
    const outlet = createOutlet(response);
    const { headers } = request;
    const session = await sessions.open({ request, headers, requestId, end: outlet.fail });
    // The connection closed while the credential was checked, so no event will tell.
    if (response.closed) return session.close();
    outlets.add(outlet);
    response.once('close', () => {
      session.close();
      outlets.delete(outlet);
      outlet.end();
    });
    const [body, { status, headers: answered }] = await handler({
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: { get: (name) => headerOf(request, name) },
      body: (request.body as Record<string, unknown> | undefined) ?? null,
      raw: request,
      context: { outlet, session },
    });
    if (typeof body === 'string' || body === null) throw refusalOf(status, body);
    response.writeHead(status, { ...answered, 'x-accel-buffering': 'no' });
    await outlet.pour(body);
  }

  return {
    async handle(request, response) {
      try {
        await stream(request, response);
      } catch (error) {
        const refused = toGraphError(error);
        if (refused.code === 'METHOD_NOT_ALLOWED' && !response.headersSent) {
          response.setHeader('allow', 'GET, POST');
        }
        answerGraphError(response, refused);
      }
    },
    stop() {
      stopping = true;
      for (const outlet of [...outlets]) outlet.end();
    },
  };
}

function requireStreamable({ method, headers }: IncomingMessage): void {
  if (method !== 'GET' && method !== 'POST') throw methodRefusal(method);
  const accepted = (headers.accept ?? '*/*').split(',').map((part) => part.split(';')[0]?.trim());
  if (accepted.some((type) => type === '*/*' || type === 'text/*' || type === 'text/event-stream')) return;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', { message: 'The answer is a text/event-stream.' });
}

/** A client in single connection mode begins with a PUT, and shows this text to whoever set it up. */
const methodRefusal = (method: string | undefined) =>
  new GatewayError('METHOD_NOT_ALLOWED', {
    message:
      method === 'PUT' || method === 'DELETE'
        ? 'Each operation has a connection of its own here: leave singleConnection of the graphql-sse client off, which is its default, or use graphql-ws at /graphql.'
        : undefined,
  });

/** The library only streams for this one spelling of what was checked before. */
const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  if (name === 'accept') return 'text/event-stream';
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const codes: Record<number, ErrorName> = { 405: 'METHOD_NOT_ALLOWED', 415: 'UNSUPPORTED_MEDIA_TYPE' };

/** What the library refuses in the gateway's shape. */
function refusalOf(status: Refusal[1]['status'], body: string | null): GatewayError {
  const { errors } = JSON.parse(body ?? '{}') as { errors?: { message?: string }[] };
  return new GatewayError(codes[status] ?? 'VALIDATION_FAILED', { message: errors?.[0]?.message });
}

async function* single(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result;
}
