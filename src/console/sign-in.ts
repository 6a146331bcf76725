import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerEmpty, answerJson } from '../../rest-compat/serve/answer.ts';
import { readJsonBody } from '../../rest-compat/serve/body.ts';
import { GatewayError } from '../errors/index.ts';
import type { BodyBudget } from '../lib/bodies/index.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import {
  LIFE_MS,
  type Proven,
  recordRefusedSignIn,
  signOut,
  startSignIn,
} from '../subgraphs/identity/sign-in/index.ts';
import type { Cookie } from './cookie.ts';
import { type ProofDirectory, prove, readShown, type Shown, targetOf } from './proof.ts';

export type SignInDoor = {
  cookie: Cookie;
  directory: ProofDirectory;
  bodies: BodyBudget;
};

type Exchange = { request: IncomingMessage; response: ServerResponse; context: GraphContext };

/** Answers `/console/sign-in`: GET tells how, and whether there is an owner yet; POST signs in, DELETE signs out. */
export async function answerSignIn(
  exchange: Exchange,
  door: SignInDoor & { hasOidc: boolean },
): Promise<void> {
  const { request, response } = exchange;
  if (request.method === 'POST') return signIn(exchange, door);
  if (request.method === 'DELETE') return endSignIn(exchange, door);
  if (request.method === 'GET' || request.method === 'HEAD') {
    const ownerExists = await exchange.context.installation.hasOwner();
    const answer = { object: 'sign-in-methods', oidc: door.hasOidc, owner_exists: ownerExists };
    const headers = { 'x-request-id': exchange.context.request.id };
    return answerJson(request, response, 200, JSON.stringify(answer), headers);
  }
  response.setHeader('allow', 'GET, HEAD, POST, DELETE');
  throw new GatewayError('METHOD_NOT_ALLOWED');
}

async function signIn(exchange: Exchange, door: SignInDoor): Promise<void> {
  const { context, request, response } = exchange;
  const shown = readShown(await readJsonBody({ ...exchange, parameters: {}, bodies: door.bodies }));
  const proven = await proveSlowly(exchange, door, shown);
  const endsAt = await giveCookie(exchange, door.cookie, proven);
  const answer = { object: 'sign-in', ends_at: endsAt.toISOString() };
  answerJson(request, response, 200, JSON.stringify(answer), { 'x-request-id': context.request.id });
}

/** Signs somebody in whose proof is good, and puts the secret into the answer's cookie; says when it ends. */
export async function giveCookie(
  { context, response }: Exchange,
  cookie: Cookie,
  proven: Proven,
): Promise<Date> {
  const { secret, signIn } = await startSignIn(context, proven);
  response.setHeader('set-cookie', cookie.give(secret, LIFE_MS / 1000));
  return signIn.endsAt;
}

/** A wrong secret is answered later and later. */
async function proveSlowly({ context }: Exchange, { directory }: SignInDoor, shown: Shown): Promise<Proven> {
  try {
    return await prove(context, directory, shown);
  } catch (error) {
    const target = () => targetOf(context, directory, shown);
    recordRefusedSignIn(context, { method: methodOf(shown), target }, error);
    const client = 'client' in shown ? { clientId: shown.client.id } : {};
    return context.throttle.refuse(error, { door: 'sign-in', address: context.request.clientIp, ...client });
  }
}

const methodOf = (shown: Shown) => ('link' in shown ? 'link' : 'key' in shown ? 'key' : 'client');

/** Whoever is not signed in any more loses a cookie that means nothing. */
async function endSignIn({ context, response }: Exchange, { cookie }: SignInDoor): Promise<void> {
  const { principal } = context;
  if (principal?.signIn) await signOut(context, principal.signIn.id, principal.organisationId);
  answerEmpty(response, 204, { 'set-cookie': cookie.take(), 'x-request-id': context.request.id });
}
