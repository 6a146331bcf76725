import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../auth/index.ts';
import { type BodyBudget, hasBody } from '../../lib/bodies/index.ts';
import { answerInTime } from '../safety/deadline.ts';
import type { Safety } from '../safety/index.ts';
import { nameDocument } from '../safety/trusted-requests.ts';
import { readJson } from './json-body.ts';

/** A request whose JSON body, and whose caller, may be known by now. */
export type BodyRequest = IncomingMessage & {
  body?: unknown;
  /** Null for a caller without a credential; undefined where nobody has looked. */
  principal?: Principal | null;
};

/** Who sent a request; throws for a credential that is not valid. */
export type Identify = (request: BodyRequest, response: ServerResponse) => Promise<Principal | null>;

/**
 * Reads the body within the operation's time, and the document that it names. Who sends one is looked at before: strangers
 * have little room for what they send.
 */
export const bodyReader =
  ({ timeout, documents }: Safety, bodies: BodyBudget, identify: Identify) =>
  async (request: BodyRequest, response: ServerResponse): Promise<void> => {
    answerInTime(timeout, request, response);
    if (hasBody(request)) {
      const principal = await identify(request, response);
      const makeHold = () => bodies.hold(principal, request.socket.remoteAddress);
      request.body = await readJson(request, response, makeHold);
    }
    if (documents) nameDocument(documents, request);
  };
