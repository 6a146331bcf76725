import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reference } from '../../rest-compat/index.ts';
import { GatewayError, inferenceBody } from '../errors/index.ts';
import { plainPageHeaders } from '../lib/http/page-headers.ts';
import { answer, answerMethods, isRead } from './answers.ts';
import type { Metrics } from './metrics.ts';
import type { OperationsAccess } from './operations-access.ts';

/** What the pages for operators, and for whoever comes to the root, are made of. */
export type OperationsParts = {
  reference: Reference;
  metrics: Metrics;
  isReady: () => { ready: boolean; status: string };
  seesOperations: OperationsAccess;
  /** Whether browsers are led to the console. */
  hasConsole: boolean;
};

export type OperationsDoor = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

const operationsPaths = new Set(['/', '/healthz', '/readyz', '/metrics']);

/** Answers the reference, health, readiness, metrics and the root, and says of all other paths that there is nothing. */
export function createOperationsDoor({
  reference,
  metrics,
  isReady,
  seesOperations,
  hasConsole,
}: OperationsParts): OperationsDoor {
  return async (path, request, response) => {
    const documented = reference.match(path);
    if (documented) return documented(request, response);
    if (operationsPaths.has(path) && !isRead(request)) return answerMethods(request, response);
    if (path === '/healthz') return answer(response, 200, { status: 'ok' });
    if (path === '/readyz') {
      const state = isReady();
      const shown = seesOperations(request) ? state : { ready: state.ready, status: state.status };
      return answer(response, state.ready ? 200 : 503, shown);
    }
    if (path === '/metrics') {
      if (!seesOperations(request)) return refuseMetrics(response);
      response.writeHead(200, { ...plainPageHeaders, 'content-type': metrics.contentType });
      response.end(await metrics.text());
      return;
    }
    if (path === '/') {
      // Relative to the address that the browser knows, which a proxy may have put below a path.
      if (hasConsole && request.headers.accept?.includes('text/html'))
        return void response.writeHead(302, { ...plainPageHeaders, location: 'console/' }).end();
      response.writeHead(200, { ...plainPageHeaders, 'content-type': 'text/plain; charset=utf-8' });
      response.end(
        'Sluice is running. Inference: /v1, graph: /graphql, explorer: /explorer, reference: /reference, health: /healthz\n',
      );
      return;
    }
    answer(response, 404, { message: 'Not Found', ok: false });
  };
}

function refuseMetrics(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer');
  const message =
    'Metrics are for programs on the machine itself, and for whoever sends METRICS_TOKEN as bearer token.';
  answer(response, 401, inferenceBody(new GatewayError('UNAUTHENTICATED', { message })));
}
