import { errorHeaders, toGatewayError } from '../errors/format.ts';
import { errorBodyFor } from '../formats/index.ts';
import type { Call } from './call/call.ts';
import type { Visit } from './call/open-call.ts';
import { routeOf } from './call/routes.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { recordWithoutProvider } from './record.ts';

/** Answers with an error, and records it where it is known whose it is. */
export function refuse(
  thrown: unknown,
  { request, response, path, requestId, trace, call }: Visit & { call: Call | null },
  dependencies: DataplaneDependencies,
): void {
  const error = toGatewayError(thrown);
  // The request itself is destroyed as soon as it was read to its end.
  const hungUp = response.destroyed;
  if (error.entry.status >= 500 && !hungUp) {
    dependencies.log.error(
      { error: thrown, requestId, traceId: trace.traceId },
      'A data-plane request failed.',
    );
  }
  if (call) recordWithoutProvider(dependencies, call, hungUp ? 499 : error.entry.status, error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The rest of an unread body must not be taken for the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(error.entry.status, {
    'content-type': 'application/json',
    'x-gateway-trace-id': trace.traceId,
    'x-gateway-request-id': requestId,
    'x-gateway-gateway-exception': 'true',
    ...(call?.leaf && { 'x-gateway-last-used-option-index': call.leaf.path }),
    ...errorHeaders(error),
  });
  response.end(JSON.stringify(errorBodyFor(routeOf(path).endpoint, error)));
}
