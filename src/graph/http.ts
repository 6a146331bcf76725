import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type RequestHandler } from 'express';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Principal } from '../auth/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import { logDefects } from './defects.ts';
import { toGraphError } from './errors.ts';
import { explorer } from './explorer.ts';
import { apolloGateway } from './gateway.ts';
import type { Graph } from './graph.ts';
import { answerBodyError, formatGraphError, requestError } from './http-errors.ts';
import { adoptRequestId } from './request-id.ts';
import { createSafety, type Safety } from './safety.ts';
import { type ServedGraph, servedAlone } from './served-graph.ts';
import type { EventStreams } from './subscriptions/index.ts';
import { supergraphDoor } from './supergraph-door.ts';

export type GraphHttpOptions = DoorOptions & {
  graph: Graph;
  /** The graph with its remote subgraphs; the built-in ones alone when absent. */
  served?: ServedGraph | undefined;
  /** Operations over server-sent events, at `/graphql/stream`. */
  streams?: EventStreams | null;
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

/** An Apollo Server as every HTTP door of the graph has it; its handlers are made once it has started. */
export function createDoor(
  source: { schema: GraphQLSchema } | { gateway: ReturnType<typeof apolloGateway> },
  landingPage: ApolloServerPlugin,
  { authenticate, createContext, log, safety = createSafety() }: DoorOptions,
) {
  const server = new ApolloServer<GraphContext>({
    ...source,
    // The rules of `safety` refuse introspection where it is off.
    introspection: true,
    hideSchemaDetailsFromClientErrors: safety.hideSuggestions,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: safety.parseOptions,
    validationRules: safety.validationRules,
    formatError: formatGraphError,
    logger: log,
    plugins: [
      landingPage,
      affordable(safety),
      noSubscriptions,
      defects,
      // It would wrap every field of the schema to find out that no answer may be kept.
      ApolloServerPluginCacheControlDisabled(),
    ],
  });

  const contextOf = async (request: IncomingMessage, response: ServerResponse): Promise<GraphContext> => {
    response.setHeader('cache-control', 'no-store');
    try {
      const context = adoptRequestId(createContext(await authenticate(request), request), request);
      response.setHeader('x-request-id', context.request.id);
      return { ...context, signal: abortedWith(response) };
    } catch (thrown) {
      const error = toGraphError(thrown);
      const { id } = adoptRequestId(createContext(null, request), request).request;
      response.setHeader('x-request-id', id);
      if (error.entry.status >= 500) log.error({ error, requestId: id }, error.message);
      throw requestError(error);
    }
  };

  return {
    async start(): Promise<RequestHandler[]> {
      await server.start();
      return [
        express.json({ limit: '1mb' }),
        expressMiddleware(server, { context: ({ req, res }) => contextOf(req, res) }),
      ];
    },
    stop: () => server.stop(),
  };
}

/** The graph for browsers and dashboards: Apollo Server with its Sandbox, and an explorer that needs no internet. */
export function createGraphHttp({
  graph,
  served = servedAlone(graph),
  streams = null,
  ...options
}: GraphHttpOptions): GraphHttp {
  const landingPage = ApolloServerPluginLandingPageLocalDefault({ includeCookies: false });
  const door = createDoor({ gateway: apolloGateway(served) }, landingPage, options);
  const app = express().disable('x-powered-by');
  return {
    handle: (request, response) => void app(request, response),
    async start() {
      if (streams) {
        app.use('/graphql/stream', express.json({ limit: '1mb' }), (request, response) =>
          streams.handle(request, response),
        );
      }
      app.use('/graphql', ...(await door.start()));
      app.use('/supergraph.graphql', supergraphDoor({ served, ...options }));
      app.use(explorer('/explorer', '/graphql'));
      app.use((_request, response) => void response.status(404).json({ message: 'Not Found', ok: false }));
      app.use(answerBodyError);
    },
    stop: () => door.stop(),
  };
}

/** Refuses what costs too much, which only the variables tell. */
const affordable = (safety: Safety): ApolloServerPlugin<GraphContext> => ({
  requestDidStart: async () => ({
    didResolveOperation: async ({ schema, document, operation, request }) => {
      if (operation) safety.requireAffordable(schema, document, operation, request.variables ?? {});
    },
  }),
});

/** One answer is all that a request gets here. */
const noSubscriptions: ApolloServerPlugin<GraphContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation }) => {
      if (operation?.operation !== 'subscription') return;
      throw new GraphQLError(
        'Subscriptions need a WebSocket at /graphql or an event stream at /graphql/stream.',
        {
          extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
        },
      );
    },
  }),
};

/** Aborts when the connection closes before its answer is complete. */
function abortedWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

const defects: ApolloServerPlugin<GraphContext> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue, operationName }) =>
      logDefects(errors, contextValue, operationName),
  }),
};
