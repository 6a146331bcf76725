import { requireScope } from '../../src/auth/index.ts';
import { GatewayError } from '../../src/errors/index.ts';
import type { Leases } from '../../src/storage/leases.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import type { CompiledOperation } from '../compile/compile.ts';
import { answerEmpty, answerJson, answerRead } from './answer.ts';
import { readJsonBody } from './body.ts';
import { type Current, conditionally, isUnchanged } from './conditional.ts';
import { createConversation } from './conversation.ts';
import { entityTag } from './entity-tag.ts';
import type { ServerEvent } from './events.ts';
import { once } from './idempotency.ts';
import type { Found, MountedEndpoint, RestRequest } from './route.ts';

export type DocumentServices = {
  leases: Leases;
  /** Finds what a GET of a path runs. */
  readerOf(path: string): Found | null;
};

/** The endpoint that runs a document. */
export function documentEndpoint(operation: CompiledOperation, services: DocumentServices): MountedEndpoint {
  const { label, rest } = operation;
  const answers = { GET: answerQuery, POST: answerCreate, PUT: answerUpdate, DELETE: answerUpdate };
  const answer = answers[rest.method];
  return {
    label,
    method: rest.method,
    path: rest.path,
    on: rest.on,
    isPublic: operation.isPublic,
    document: operation,
    yields: rest.yields,
    async answer(call) {
      // Strangers get no body read and no lease taken on their behalf.
      if (operation.access && !call.context.principal) throw new GatewayError('UNAUTHENTICATED');
      return answer(operation, call, services);
    },
  };
}

async function inputOf({ rest }: CompiledOperation, call: RestRequest) {
  const { parameters, context } = call;
  const body = await readJsonBody(call, rest.maxBytes);
  return { path: parameters, query: context.request.query, body };
}

/** Names of headers stand in documents with underscores, as GraphQL has no names with hyphens. */
const namedHeaders = ({ rest }: CompiledOperation) =>
  Object.fromEntries(Object.entries(rest.headers).map(([name, value]) => [name.replaceAll('_', '-'), value]));

const headersOf = (operation: CompiledOperation, { request }: GraphContext) => ({
  ...namedHeaders(operation),
  'x-request-id': request.id,
});

async function answerQuery(operation: CompiledOperation, call: RestRequest): Promise<void> {
  const { request, response, context } = call;
  const text = await operation.run(await inputOf(operation, call), context);
  const headers = headersOf(operation, context);
  const etag = entityTag(text);
  if (isUnchanged(request.headers, etag)) answerEmpty(response, 304, { ...headers, etag });
  else await answerRead(request, response, text, headers);
}

async function answerCreate(
  operation: CompiledOperation,
  call: RestRequest,
  { leases }: DocumentServices,
): Promise<void> {
  const { request, response, context } = call;
  const input = await inputOf(operation, call);
  let events: AsyncIterable<ServerEvent> | null = null;
  const answering: GraphContext = {
    ...context,
    answerEvents: (given) => {
      events = given;
    },
  };
  const { text, replayed } = await conditionally(context, leases, null, () =>
    once(context, leases, input.body, () => operation.run(input, answering)),
  );
  if (events) return sendEvents(operation, call, events);
  // The right to run it may have been taken away since the first time.
  if (replayed && operation.access) requireScope(context.principal, operation.access);
  answerJson(request, response, operation.rest.status, text, {
    ...headersOf(operation, context),
    ...(replayed && { 'idempotent-replayed': 'true' }),
  });
}

/** Answers what a service gave in place of its value, until the caller leaves. */
async function sendEvents(
  operation: CompiledOperation,
  call: RestRequest,
  events: AsyncIterable<ServerEvent>,
): Promise<void> {
  const conversation = createConversation(call, call.context.principal, {});
  // The answer takes as long as its run, and nothing is loaded for it any more.
  call.context.memo.clear();
  try {
    await conversation.sendEvents(events, headersOf(operation, call.context));
  } catch (error) {
    if (!conversation.signal.aborted) throw error;
  }
}

async function answerUpdate(
  operation: CompiledOperation,
  call: RestRequest,
  { leases, readerOf }: DocumentServices,
): Promise<void> {
  const { request, response, context } = call;
  const input = await inputOf(operation, call);
  const text = await conditionally(context, leases, currentOf(context, readerOf), () =>
    operation.run(input, context),
  );
  answerJson(request, response, operation.rest.status, text, headersOf(operation, context));
}

function currentOf(context: GraphContext, readerOf: DocumentServices['readerOf']): Current | null {
  const { path, query } = context.request;
  const found = readerOf(path);
  const reader = found?.route.endpoint.document;
  if (!found || !reader) return null;
  return {
    // An id and a slug may name the same resource, so all of its kind in the organisation take turns.
    place: `write ${context.principal?.organisationId} ${reader.rest.path}`,
    read: () =>
      reader.run(
        { path: found.parameters, query: reader.keepKnown(query), body: undefined },
        // What it loads is about to change.
        { ...context, memo: new Map() },
      ),
  };
}
