import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../auth/index.ts';
import { type BodyBudget, hasBody } from '../../lib/bodies/index.ts';
import { clientAddress } from '../../lib/http/client-address.ts';
import { answerInTime } from '../safety/deadline.ts';
import type { Safety } from '../safety/index.ts';
import { nameDocument } from '../safety/trusted-requests.ts';
import { readJson } from './json-body.ts';

/** A request; its JSON body and its caller are set once they have been read. */
export type BodyRequest = IncomingMessage & {
  body?: unknown;
  /** Null for a caller without a credential; undefined before the credential was checked. */
  principal?: Principal | null;
};

/** Finds out who sent a request; throws for a wrong credential. */
export type Identify = (request: BodyRequest, response: ServerResponse) => Promise<Principal | null>;

/**
 * Reads the body within the operation's time limit, and puts the text of the trusted document that it names in place.
 * The caller is identified first, because callers without a credential may use little memory.
 */
export const bodyReader =
  ({ timeout, documents }: Safety, bodies: BodyBudget, identify: Identify) =>
  async (request: BodyRequest, response: ServerResponse): Promise<void> => {
    answerInTime(timeout, request, response);
    if (hasBody(request)) {
      const principal = await identify(request, response);
      const makeHold = () => bodies.hold(principal, clientAddress(request));
      request.body = await readJson(request, response, makeHold);
    }
    if (documents) nameDocument(documents, request);
  };
