import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import express, { type ErrorRequestHandler } from 'express';
import { GraphQLError } from 'graphql';
import type { Principal } from '../../auth/index.ts';
import { errorHeaders } from '../../errors/index.ts';
import { BodyAborted, type BodyBudget, createBodyBudget } from '../../lib/bodies/index.ts';
import { splitUrl } from '../../lib/http/request-url.ts';
import type { Logger } from '../../lib/logger.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import type { Graph } from '../composition/graph.ts';
import { type ServedGraph, servedAlone } from '../composition/served-graph.ts';
import { signalOf } from '../safety/deadline.ts';
import { createSafety, type Safety } from '../safety/index.ts';
import { apolloHandler, isQuery } from './apollo-http.ts';
import { type BodyRequest, bodyReader, type Identify } from './body.ts';
import { logDefects } from './defects.ts';
import { toGraphError } from './errors.ts';
import { explorer } from './explorer.ts';
import { apolloGateway } from './gateway.ts';
import { answerBodyError, formatGraphError, requestError } from './http-errors.ts';
import { adoptRequestId } from './request-id.ts';
import { landingPage } from './sandbox.ts';
import type { Subscriptions } from './subscriptions/index.ts';
import { supergraphDoor } from './supergraph-door.ts';

export type GraphHttpOptions = DoorOptions & {
  graph: Graph;
  /** The graph with its remote subgraphs; the built-in ones alone when absent. */
  served?: ServedGraph | undefined;
  /** Operations over server-sent events, at `/graphql/stream`. */
  streams?: Subscriptions['streams'] | null;
  /** Whether browsers see Apollo Sandbox at `/graphql`. */
  sandbox?: boolean;
};

export type DoorOptions = {
  /** Throws UNAUTHENTICATED for a credential that is not valid; null when there is none. */
  authenticate(request: IncomingMessage): Promise<Principal | null>;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
  log: Logger;
  safety?: Safety;
  /** How much memory request bodies may take. */
  bodies?: BodyBudget;
};

export type GraphHttp = {
  /** Answers `/graphql`, `/graphql/stream`, `/explorer` and `/supergraph.graphql`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** The Apollo Server of an HTTP door; its handler exists once the server has started. */
export function createDoor(served: ServedGraph, landingPage: ApolloServerPlugin, options: DoorOptions) {
  const { createContext, log, safety = createSafety(), bodies = createBodyBudget() } = options;
  const identify = identifying(options);
  const server = new ApolloServer<GraphContext>({
    gateway: apolloGateway(served, safety.hideSuggestions),
    // The rules of `safety` refuse introspection where it is off.
    introspection: true,
    hideSchemaDetailsFromClientErrors: safety.hideSuggestions,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    // Clients may send a hash in place of a text, which Apollo Server keeps in a bounded cache. With trusted
    // documents, no client may add one.
    persistedQueries: safety.documents ? false : {},
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: safety.parseOptions,
    validationRules: safety.validationRules,
    formatError: formatGraphError,
    logger: log,
    plugins: [
      landingPage,
      rulesOf(safety),
      // Cache control would wrap every field of the schema, although no answer here may be cached.
      ApolloServerPluginCacheControlDisabled(),
      // Usage reporting would send requests to Apollo as soon as the environment happens to hold an Apollo key.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
    ],
  });

  const contextOf = async (request: BodyRequest, response: ServerResponse): Promise<GraphContext> => {
    try {
      const principal = await identify(request, response);
      const context = adoptRequestId(createContext(principal, request), request);
      response.setHeader('x-request-id', context.request.id);
      const signal = signalOf(request);
      return signal ? { ...context, signal } : context;
    } catch (thrown) {
      const error = toGraphError(thrown);
      for (const [name, value] of Object.entries(errorHeaders(error))) response.setHeader(name, value);
      throw requestError(error);
    }
  };

  return {
    async start(): Promise<Answer> {
      await server.start();
      return withBody(bodyReader(safety, bodies, identify), apolloHandler(server, contextOf));
    },
    stop: () => server.stop(),
  };
}

/** The graph for browsers and dashboards: Apollo Server with its Sandbox, and an explorer that needs no internet. */
export function createGraphHttp({
  graph,
  served = servedAlone(graph),
  streams = null,
  sandbox = true,
  safety = createSafety(),
  bodies = createBodyBudget(),
  ...options
}: GraphHttpOptions): GraphHttp {
  const door = createDoor(served, landingPage(sandbox), { safety, bodies, ...options });
  const app = express().disable('x-powered-by').disable('etag');
  const answers = new Map<string, Answer>();
  if (streams) {
    const readBody = bodyReader(
      safety,
      bodies,
      identifying({ ...options, authenticate: streams.authenticate }),
    );
    answers.set('/graphql/stream', withBody(readBody, streams.handle));
  }
  app.use('/supergraph.graphql', supergraphDoor({ served, ...options }));
  app.use(explorer('/explorer', '/graphql'));
  app.use((_request, response) => void response.status(404).json({ message: 'Not Found', ok: false }));
  app.use(answerPageError);
  return {
    handle(request, response) {
      const answer = answers.get(splitUrl(request.url).path) ?? app;
      return void answer(request, response);
    },
    async start() {
      answers.set('/graphql', await door.start());
    },
    stop: () => door.stop(),
  };
}

/** Answers in place of Express, whose own answer would show the stack. */
const answerPageError: ErrorRequestHandler = (error, _request, response, _next) =>
  answerBodyError(response, error);

type Answer = (request: BodyRequest, response: ServerResponse) => Promise<void>;

/** Checks the credential of a request once; a refusal carries the request's id. */
const identifying =
  ({ authenticate, createContext, log }: DoorOptions): Identify =>
  async (request, response) => {
    if (request.principal !== undefined) return request.principal;
    response.setHeader('cache-control', 'no-store');
    try {
      request.principal = await authenticate(request);
      return request.principal;
    } catch (thrown) {
      const error = toGraphError(thrown);
      const { id } = adoptRequestId(createContext(null, request), request).request;
      response.setHeader('x-request-id', id);
      if (error.entry.status >= 500) log.error({ error, requestId: id }, error.message);
      throw error;
    }
  };

/** Reads the body before the answer; a mistake in it is answered in the shape of GraphQL errors. */
function withBody(readBody: Answer, answer: Answer): Answer {
  return async (request, response) => {
    try {
      await readBody(request, response);
      await answer(request, response);
    } catch (error) {
      if (!(error instanceof BodyAborted)) answerBodyError(response, error as Error);
    }
  };
}

/**
 * Everything that Apollo Server leaves to this service, in one plugin: each further plugin costs every request a few
 * turns of the event loop.
 */
function rulesOf(safety: Safety): ApolloServerPlugin<GraphContext> {
  const listener: GraphQLRequestListener<GraphContext> = {
    async didResolveOperation({ schema, document, operation, request, contextValue }) {
      // For a wrong name, Apollo Server would run the only operation of the document without measuring it, and miss
      // the named one only afterwards.
      if (!operation) throw noOperation();
      if (operation.operation === 'subscription') throw needsStream();
      // The cost depends on the variables, so it is known only here.
      safety.requireAffordable(schema, document, operation, request.variables ?? {});
      if (operation.operation === 'query') contextValue.memo.set(isQuery, true);
    },
    async didEncounterErrors({ errors, contextValue, operationName }) {
      logDefects(errors, contextValue, operationName);
    },
  };
  return { requestDidStart: async () => listener };
}

const noOperation = () =>
  new GraphQLError('operationName must name one operation of the document.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } },
  });

/** Subscriptions are refused here: an HTTP request gets exactly one answer. */
const needsStream = () =>
  new GraphQLError('Subscriptions need a WebSocket at /graphql or an event stream at /graphql/stream.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
