import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Principal, requireScope } from '../../auth/index.ts';
import { administrationBody, errorHeaders, GatewayError } from '../../errors/index.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ServedGraph } from '../composition/served-graph.ts';
import { toGraphError } from './errors.ts';

type Options = {
  served: ServedGraph;
  authenticate(request: IncomingMessage): Promise<Principal | null>;
  log: Logger;
};

/** Answers the supergraph's SDL to credentials that may read the organisation's settings. */
export const supergraphDoor =
  ({ served, authenticate, log }: Options) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new GatewayError('METHOD_NOT_ALLOWED');
      requireScope(await authenticate(request), ['organisation_settings.read']);
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end(served.supergraphSdl);
    } catch (thrown) {
      const error = toGraphError(thrown);
      const { status } = error.entry;
      if (status >= 500) log.error({ error }, error.message);
      response.writeHead(status, {
        'content-type': 'application/json',
        ...errorHeaders(error),
        ...(status === 405 && { allow: 'GET, HEAD' }),
      });
      response.end(JSON.stringify(administrationBody(error)));
    }
  };
