import { createHash, timingSafeEqual } from 'node:crypto';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import express, { type RequestHandler } from 'express';
import type { Throttle } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import type { BuiltInSubgraph } from '../composition/graph.ts';
import { servedAlone } from '../composition/served-graph.ts';
import { toGraphError } from './errors.ts';
import { createDoor, type DoorOptions, type GraphHttp } from './http.ts';
import { answerGraphError } from './http-errors.ts';
import { adoptRequestId } from './request-id.ts';

export type StandaloneOptions = DoorOptions & {
  subgraphs: readonly BuiltInSubgraph[];
  /** The secret by which a federation router proves itself; null where the network keeps everybody else out. */
  routerSecret: string | null;
  throttle: Pick<Throttle, 'refuse'>;
};

/**
 * `/subgraphs/<name>/graphql` for a federation router, which joins the subgraphs in our place. It forwards the
 * credential of its own caller: what that one may see is decided in the resolvers, as behind every other door.
 */
export function createStandalone({
  subgraphs,
  routerSecret,
  throttle,
  ...options
}: StandaloneOptions): GraphHttp {
  const app = express().disable('x-powered-by').disable('etag');
  const doors = () =>
    subgraphs.map(({ name, schema }) => ({
      path: `/subgraphs/${name}/graphql`,
      ...createDoor(
        servedAlone({ schema, supergraphSdl: '' }),
        ApolloServerPluginLandingPageDisabled(),
        options,
      ),
    }));
  let started: ReturnType<typeof doors> = [];

  const refuse: Refuse = (error) => (request, response) => {
    const { id } = adoptRequestId(options.createContext(null, request), request).request;
    response.setHeader('x-request-id', id);
    answerGraphError(response, error);
  };

  return {
    handle: (request, response) => void app(request, response),
    async start() {
      if (routerSecret !== null) app.use(requireSecret(routerSecret, { refuse, throttle }));
      started = doors();
      for (const { path, start } of started) app.all(path, await start());
      app.use(refuse(new GatewayError('NOT_FOUND', { message: 'No such subgraph is served here.' })));
    },
    async stop() {
      await Promise.all(started.map((door) => door.stop()));
    },
  };
}

type Refuse = (error: GatewayError) => RequestHandler;

/** Refuses callers without the secret, in a time that does not depend on how much of it they guessed. */
function requireSecret(
  secret: string,
  { refuse, throttle }: { refuse: Refuse; throttle: StandaloneOptions['throttle'] },
): RequestHandler {
  const expected = digest(secret);
  const wrong = new GatewayError('UNAUTHENTICATED', {
    message: 'The header x-gateway-router-secret is missing or not valid.',
  });
  return (request, response, next) => {
    const given = request.get('x-gateway-router-secret');
    if (timingSafeEqual(digest(given ?? ''), expected)) return next();
    const answer = (error: unknown) => refuse(toGraphError(error))(request, response, next);
    if (given === undefined) return answer(wrong);
    const address = clientAddress(request) ?? '';
    throttle.refuse(wrong, { door: 'router', address }).catch(answer);
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
