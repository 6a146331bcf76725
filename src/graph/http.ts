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
import type { Principal } from '../auth/index.ts';
import { errorHeaders } from '../errors/index.ts';
import type { Logger } from '../lib/logger.ts';
import { splitUrl } from '../lib/request-url.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { apolloHandler } from './apollo-http.ts';
import { type BodyRequest, bodyReader } from './body.ts';
import { signalOf } from './deadline.ts';
import { logDefects } from './defects.ts';
import { toGraphError } from './errors.ts';
import { explorer } from './explorer.ts';
import { apolloGateway } from './gateway.ts';
import type { Graph } from './graph.ts';
import { answerBodyError, formatGraphError, requestError } from './http-errors.ts';
import { adoptRequestId } from './request-id.ts';
import { createSafety, type Safety } from './safety.ts';
import { landingPage } from './sandbox.ts';
import { type ServedGraph, servedAlone } from './served-graph.ts';
import type { EventStreams } from './subscriptions/index.ts';
import { supergraphDoor } from './supergraph-door.ts';

export type GraphHttpOptions = DoorOptions & {
  graph: Graph;
  /** The graph with its remote subgraphs; the built-in ones alone when absent. */
  served?: ServedGraph | undefined;
  /** Operations over server-sent events, at `/graphql/stream`. */
  streams?: EventStreams | null;
  /** Whether browsers see Apollo Sandbox at `/graphql`. */
  sandbox?: boolean;
};

export type DoorOptions = {
  /** Throws UNAUTHENTICATED for a credential that is not valid; null when there is none. */
  authenticate(request: IncomingMessage): Promise<Principal | null>;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
  log: Logger;
  safety?: Safety;
};

export type GraphHttp = {
  /** Answers `/graphql`, `/graphql/stream`, `/explorer` and `/supergraph.graphql`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** An Apollo Server as every HTTP door of the graph has it; its handler is made once it has started. */
export function createDoor(
  served: ServedGraph,
  landingPage: ApolloServerPlugin,
  { authenticate, createContext, log, safety = createSafety() }: DoorOptions,
) {
  const server = new ApolloServer<GraphContext>({
    gateway: apolloGateway(served, safety.hideSuggestions),
    // The rules of `safety` refuse introspection where it is off.
    introspection: true,
    hideSchemaDetailsFromClientErrors: safety.hideSuggestions,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    // Hashes in place of texts, in Apollo Server's bounded cache; what is trusted is not up to callers.
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
      // It would wrap every field of the schema to find out that no answer may be kept.
      ApolloServerPluginCacheControlDisabled(),
      // It would tell Apollo about requests as soon as the environment happens to hold a key for it.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
    ],
  });

  const contextOf = async (request: IncomingMessage, response: ServerResponse): Promise<GraphContext> => {
    response.setHeader('cache-control', 'no-store');
    try {
      const context = adoptRequestId(createContext(await authenticate(request), request), request);
      response.setHeader('x-request-id', context.request.id);
      const signal = signalOf(request);
      return signal ? { ...context, signal } : context;
    } catch (thrown) {
      const error = toGraphError(thrown);
      const { id } = adoptRequestId(createContext(null, request), request).request;
      response.setHeader('x-request-id', id);
      for (const [name, value] of Object.entries(errorHeaders(error))) response.setHeader(name, value);
      if (error.entry.status >= 500) log.error({ error, requestId: id }, error.message);
      throw requestError(error);
    }
  };

  return {
    async start(): Promise<Answer> {
      await server.start();
      return withBody(safety, apolloHandler(server, contextOf));
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
  ...options
}: GraphHttpOptions): GraphHttp {
  const door = createDoor(served, landingPage(sandbox), { safety, ...options });
  const app = express().disable('x-powered-by').disable('etag');
  const answers = new Map<string, Answer>();
  if (streams) answers.set('/graphql/stream', withBody(safety, streams.handle));
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

/** Express's own answer would show the stack. */
const answerPageError: ErrorRequestHandler = (error, _request, response, _next) =>
  answerBodyError(response, error);

type Answer = (request: BodyRequest, response: ServerResponse) => Promise<void>;

/** Reads the body before the answer; what is wrong with it has the shape of GraphQL errors. */
function withBody(safety: Safety, answer: Answer): Answer {
  const readBody = bodyReader(safety);
  return async (request, response) => {
    try {
      await readBody(request, response);
      await answer(request, response);
    } catch (error) {
      answerBodyError(response, error as Error);
    }
  };
}

/** What Apollo Server leaves to us: one plugin, since each costs every request a few turns. */
function rulesOf(safety: Safety): ApolloServerPlugin<GraphContext> {
  const listener: GraphQLRequestListener<GraphContext> = {
    async didResolveOperation({ schema, document, operation, request }) {
      // Apollo Server would run the only operation there is, unmeasured, and only then miss the one that was named.
      if (!operation) throw noOperation();
      if (operation.operation === 'subscription') throw needsStream();
      // Only the variables tell what it costs.
      safety.requireAffordable(schema, document, operation, request.variables ?? {});
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

/** One answer is all that a request gets here. */
const needsStream = () =>
  new GraphQLError('Subscriptions need a WebSocket at /graphql or an event stream at /graphql/stream.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
