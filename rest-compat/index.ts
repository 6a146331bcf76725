import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../src/auth/index.ts';
import { GatewayError } from '../src/errors/index.ts';
import { adoptRequestId, type Graph, toGraphError } from '../src/graph/index.ts';
import type { Logger } from '../src/lib/logger.ts';
import { splitUrl } from '../src/lib/request-url.ts';
import type { GraphContext } from '../src/subgraphs/context.ts';
import { answerError, answerJson } from './answer.ts';
import { BodyAborted, readJsonBody } from './body.ts';
import { compileOperation } from './compile.ts';
import { elsewherePaths, type SplitOperations } from './elsewhere.ts';
import { type OperationFile, readOperations } from './operation.ts';
import { createRoutes, type Found, type Surfaces } from './route.ts';

export { splitOperations } from './elsewhere.ts';
export type { OperationFile } from './operation.ts';
export type { Surface, Surfaces } from './route.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type Rest = {
  /** The handler of a path (without its query string); null when no document knows the path. */
  match(method: string, path: string): Handler | null;
};

export type RestOptions = {
  graph: Graph;
  operations: OperationFile[];
  /** Those whose subgraphs other processes serve: they answer 404. */
  elsewhere?: SplitOperations['elsewhere'];
  /** Only the bases given here are mounted. */
  surfaces: Surfaces;
  createContext(principal: Principal | null, request: IncomingMessage): GraphContext;
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
export function createRest({
  graph,
  operations,
  elsewhere = [],
  surfaces,
  createContext,
  log,
}: RestOptions): Rest {
  const compiled = readOperations(graph.schema, operations).map((operation) =>
    compileOperation(graph, operation),
  );
  const routes = createRoutes(compiled, surfaces);
  const isElsewhere = elsewherePaths(elsewhere, surfaces);

  const contextOf = (principal: Principal | null, request: IncomingMessage) =>
    adoptRequestId(createContext(principal, request), request);

  const handlerOf =
    ({ route: { operation, surface }, parameters }: Found): Handler =>
    async (request, response) => {
      let context: GraphContext | undefined;
      try {
        const principal = await surface.authenticate(request);
        context = contextOf(principal, request);
        const body = await readJsonBody(request);
        const text = await operation.run(
          { path: parameters, query: splitUrl(request.url).query, body },
          context,
        );
        const headers = { 'x-request-id': context.request.id };
        answerJson(request, response, operation.rest.status, text, headers);
      } catch (error) {
        if (error instanceof BodyAborted) return;
        fail(request, response, error, context ?? contextOf(null, request), operation.label);
      }
    };

  const fail = (
    request: IncomingMessage,
    response: ServerResponse,
    thrown: unknown,
    context: GraphContext,
    label: string,
  ) => {
    const error = toGraphError(thrown);
    const requestId = context.request.id;
    if (error.entry.status >= 500) log.error({ error, requestId, operation: label }, error.message);
    answerError(request, response, error, { 'x-request-id': requestId });
  };

  const methodNotAllowed =
    (allowed: string[]): Handler =>
    async (request, response) => {
      const { id } = contextOf(null, request).request;
      const headers = { allow: allowed.join(', '), 'x-request-id': id };
      answerError(request, response, new GatewayError('METHOD_NOT_ALLOWED'), headers);
    };

  const notServed: Handler = async (request, response) => {
    const { id } = contextOf(null, request).request;
    const error = new GatewayError('NOT_FOUND', {
      message: 'The subgraph behind this path is not served here.',
    });
    answerError(request, response, error, { 'x-request-id': id });
  };

  return {
    match(method, path) {
      const found = routes.find(method, path);
      if (found) return handlerOf(found);
      const known = routes.methodsOf(path);
      if (known.length === 0) return isElsewhere(path) ? notServed : null;
      return methodNotAllowed(known.includes('GET') ? ['HEAD', ...known] : known);
    },
  };
}
