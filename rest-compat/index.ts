import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../src/auth/index.ts';
import { providerNames } from '../src/dataplane/target/provider-names.ts';
import { isForProvider } from '../src/dataplane/target/provider-of-request.ts';
import { GatewayError } from '../src/errors/index.ts';
import { adoptRequestId, type Graph, toGraphError } from '../src/graph/index.ts';
import { BodyAborted, type BodyBudget, createBodyBudget } from '../src/lib/bodies/index.ts';
import type { Logger } from '../src/lib/logger.ts';
import { createLeases } from '../src/storage/leases.ts';
import type { GraphContext } from '../src/subgraphs/context.ts';
import { compiledOperations } from './compile/compile.ts';
import type { OperationFile, RestOperation } from './compile/operation.ts';
import type { RestBase } from './compile/rest-directive.ts';
import { elsewherePaths, type SplitOperations } from './compile/split-operations.ts';
import { createOwnNames } from './own-names/index.ts';
import { noSuchPath } from './own-names/refusal.ts';
import { answerEmpty, answerError } from './serve/answer.ts';
import { documentEndpoint } from './serve/document.ts';
import type { Handler } from './serve/handler.ts';
import { type HandwrittenEndpoint, mountHandwritten } from './serve/handwritten/handwritten.ts';
import { handwrittenEndpoints } from './serve/handwritten/index.ts';

import { createRoutes, type Found, type MountedEndpoint, type Surfaces } from './serve/route.ts';

export type { OperationFile } from './compile/operation.ts';
export { splitOperations } from './compile/split-operations.ts';
export { createOauth2, type Oauth2 } from './oauth2/index.ts';
export { describeRest } from './openapi/index.ts';
export { createScim, type Scim } from './scim/index.ts';
export type { HandwrittenEndpoint } from './serve/handwritten/handwritten.ts';
export { createReference, type Reference } from './serve/reference.ts';
export type { Surface, Surfaces } from './serve/route.ts';

export type Rest = {
  operations: RestOperation[];
  handwritten: HandwrittenEndpoint[];
  /**
   * The handler of a path (without its query string); null when no document knows the path, or when the request names a
   * provider at a path that may be a provider's.
   */
  match(request: Pick<IncomingMessage, 'method' | 'headers'>, path: string): Handler | null;
  /**
   * Refuses a path below `/v1` that no document knows although its first name is the administration's; null for any
   * other path.
   */
  refuse(request: IncomingMessage, path: string): Handler | null;
  /** Answers 404 to an unknown path below a base that belongs to the administration alone. */
  notFound: Handler;
};

export type RestOptions = {
  graph: Graph;
  operations: OperationFile[];
  /** Operations whose subgraphs other processes serve: their paths answer 404. */
  elsewhere?: SplitOperations['elsewhere'];
  /** The endpoints of the product, unless a test brings its own. */
  handwritten?: HandwrittenEndpoint[];
  /** Only the bases given here are mounted. */
  surfaces: Surfaces;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
  /** How much memory request bodies may take. */
  bodies?: BodyBudget;
  log: Logger;
};

/** The REST documents of this project, `rest-compat/operations/*.graphql`. */
export function operationFiles(): OperationFile[] {
  const folder = new URL('operations/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  return names.sort().map((name) => ({
    path: `rest-compat/operations/${name}`,
    text: readFileSync(new URL(name, folder), 'utf8'),
  }));
}

/** REST as GraphQL documents: reads, validates and compiles them all now, so that a request only runs one. */
export function createRest(options: RestOptions): Rest {
  const { graph, operations, elsewhere = [], handwritten = handwrittenEndpoints } = options;
  const { surfaces, createContext, bodies = createBodyBudget(), log } = options;
  const leases = createLeases(log);
  const readerOf = (path: string) => routes.find('GET', path);
  const compiled = compiledOperations(graph, operations);
  const documents = compiled.map((operation) => documentEndpoint(operation, { leases, readerOf }));
  const endpoints = [...documents, ...handwritten.map(mountHandwritten)];
  const routes = createRoutes(endpoints, surfaces);
  const isElsewhere = elsewherePaths(elsewhere, surfaces);
  const ownNames = createOwnNames(mountedPaths([...endpoints, ...elsewhere], surfaces), providerNames);

  const contextOf = (principal: Principal | null, request: IncomingMessage) =>
    adoptRequestId(createContext(principal, request), request);

  const handlerOf =
    ({ route: { endpoint, surface }, parameters }: Found): Handler =>
    async (request, response) => {
      let context: GraphContext | undefined;
      try {
        context = contextOf(endpoint.isPublic ? null : await surface.authenticate(request), request);
        await endpoint.answer({ request, response, context, parameters, bodies });
      } catch (error) {
        if (error instanceof BodyAborted) return;
        fail(request, response, error, context ?? contextOf(null, request), endpoint);
      }
    };

  const fail = (
    request: IncomingMessage,
    response: ServerResponse,
    thrown: unknown,
    context: GraphContext,
    { label: operation, document, errors }: MountedEndpoint,
  ) => {
    const error = toGraphError(thrown);
    const requestId = context.request.id;
    const isBroken = response.headersSent;
    if (isBroken || error.entry.status >= 500) log.error({ error, requestId, operation }, error.message);
    // An answer that broke off must not look complete.
    if (!isBroken)
      answerError(request, response, error, { 'x-request-id': requestId }, document?.rest ?? { errors });
    else if (!response.writableEnded) response.destroy();
  };

  const refusal =
    (error: GatewayError): Handler =>
    async (request, response) => {
      answerError(request, response, error, { 'x-request-id': contextOf(null, request).request.id });
    };

  const withoutMethod =
    (methods: string[], { document, errors }: MountedEndpoint): Handler =>
    async (request, response) => {
      const headers = { 'x-request-id': contextOf(null, request).request.id, allow: methods.join(', ') };
      if (request.method === 'OPTIONS') answerEmpty(response, 204, headers);
      else
        answerError(
          request,
          response,
          new GatewayError('METHOD_NOT_ALLOWED'),
          headers,
          document?.rest ?? { errors },
        );
    };

  const notServed = refusal(
    new GatewayError('NOT_FOUND', { message: 'The subgraph behind this path is not served here.' }),
  );

  return {
    operations: compiled,
    handwritten,
    notFound: refusal(new GatewayError('NOT_FOUND', { message: 'There is no such path.' })),
    match({ method = 'GET', headers }, path) {
      try {
        const found = routes.find(method, path);
        if (found) return yieldsTo(found.route.endpoint, headers, path) ? null : handlerOf(found);
        const { methods, endpoint } = routes.methodsOf(path);
        if (endpoint) return yieldsTo(endpoint, headers, path) ? null : withoutMethod(methods, endpoint);
        return isElsewhere(path) ? notServed : null;
      } catch (error) {
        if (error instanceof GatewayError) return refusal(error);
        throw error;
      }
    },
    refuse(request, path) {
      const own = ownNames.find(request, path.slice(4));
      return own && refusal(noSuchPath(path, own));
    },
  };
}

/** Whether a path gives the request away to the provider that it names, or whose ids it has. */
const yieldsTo = ({ yields, isOwn }: MountedEndpoint, headers: IncomingHttpHeaders, path: string): boolean =>
  (yields === true && isForProvider(headers)) || isOwn?.(path) === false;

type Mounted = { path: string; on: RestBase[] };

/** Every path of the operations, on each base that is served. */
const mountedPaths = (mounted: Mounted[], surfaces: Surfaces) =>
  mounted.flatMap(({ path, on }) =>
    on.flatMap((base) => {
      const surface = surfaces[base];
      return surface ? [{ path, full: surface.prefix + path }] : [];
    }),
  );
