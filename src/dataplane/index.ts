import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors/index.ts';
import { errorBodyFor } from '../formats/index.ts';
import type { Call } from './call/call.ts';
import { openCall, visitOf } from './call/open-call.ts';
import { allowOf, routeOf } from './call/routes.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { callSteps } from './pipeline.ts';
import { refuse } from './refuse.ts';

export type Dataplane = {
  /** Answers a request; `path` and `query` are what follows `/v1`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse, path: string, query: string): Promise<void>;
};

/** The inference side of the gateway: authenticates, then runs the steps of `pipeline.ts`. */
export function createDataplane(dependencies: DataplaneDependencies): Dataplane {
  return {
    async handle(request, response, path, query) {
      if (request.method === 'OPTIONS' || request.method === 'TRACE') {
        answerMethods(request, response, path);
        return;
      }
      const visit = visitOf(request, response, path, query);
      let call: Call | null = null;
      try {
        const opening = openCall(visit, dependencies.authenticate);
        call = opening instanceof Promise ? await opening : opening;
        for (const step of callSteps) {
          const pending = step(call, dependencies);
          if (pending) await pending;
        }
      } catch (thrown) {
        refuse(thrown, { ...visit, call }, dependencies);
      } finally {
        if (call?.isOpen) dependencies.openCalls.leave(call.key.principal);
      }
    },
  };
}

/** What a path takes is no secret: whoever asks need not say who they are. TRACE, which nothing takes, would show headers. */
function answerMethods(request: IncomingMessage, response: ServerResponse, path: string): void {
  request.resume();
  const route = routeOf(path);
  response.setHeader('allow', allowOf(route));
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  const error = new GatewayError('METHOD_NOT_ALLOWED', { message: `This path takes ${allowOf(route)}.` });
  response.writeHead(405, { 'content-type': 'application/json' });
  response.end(JSON.stringify(errorBodyFor(route.endpoint, error)));
}
