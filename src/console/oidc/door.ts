import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorHeaders, GatewayError } from '../../errors/index.ts';
import { toGraphError } from '../../graph/index.ts';
import { plainPageHeaders } from '../../lib/http/page-headers.ts';
import type { ConsoleOidc } from '../../settings/identity/console-oidc.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { LIFE_MS, recordRefusedSignIn, startSignIn } from '../../subgraphs/identity/sign-in/index.ts';
import { ensureProvidedUser } from '../../subgraphs/identity/user/provided.ts';
import { ownAddress } from '../../subgraphs/own-address.ts';
import type { Cookie } from '../cookie.ts';
import { type ProofDirectory, provenUser } from '../proof.ts';
import { requireFirstAnswer } from './answered.ts';
import type { FlowCookie } from './flow-cookie.ts';
import { personOf } from './person.ts';
import type { OidcProvider } from './provider.ts';

export type OidcDoor = {
  settings: ConsoleOidc;
  provider: OidcProvider;
  flowCookie: FlowCookie;
  cookie: Cookie;
  /** Of somebody who signs in to let an MCP client act for them. */
  personCookie: Cookie;
  directory: ProofDirectory;
};

type Exchange = { request: IncomingMessage; response: ServerResponse; context: GraphContext };

/** Characters of a query that the cookie of a flow has room for. */
const MAX_AUTHORIZE = 2000;

const CALLBACK = '/console/sign-in/oidc/callback';

/** Below `/console`. */
export const oidcPaths = ['/sign-in/oidc', '/sign-in/oidc/callback'];

/** Answers `/console/sign-in/oidc`, which leads to the provider, and `…/callback`, to which the provider leads back. */
export async function answerOidc(exchange: Exchange, path: string, door: OidcDoor): Promise<void> {
  const { request, response, context } = exchange;
  try {
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      throw new GatewayError('METHOD_NOT_ALLOWED');
    }
    await (path === '/sign-in/oidc' ? begin(exchange, door) : finish(exchange, door));
  } catch (thrown) {
    const error = toGraphError(thrown);
    if (error.entry.status >= 500) context.log.error({ error }, error.message);
    // A person reads it, in the window that the provider has led back.
    response.writeHead(error.entry.status, {
      ...plainPageHeaders,
      ...errorHeaders(error),
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': context.request.id,
    });
    response.end(`${error.message}\n`);
  }
}

async function begin({ response, context }: Exchange, { provider, flowCookie }: OidcDoor): Promise<void> {
  const authorize = new URLSearchParams(context.request.query).get('authorize');
  if (authorize !== null && authorize.length > MAX_AUTHORIZE)
    throw new GatewayError('VALIDATION_FAILED', {
      ...{ param: 'authorize', message: `authorize has at most ${MAX_AUTHORIZE} characters.` },
    });
  const { address, flow } = await provider.begin(ownAddress(context) + CALLBACK, authorize);
  redirect(response, address.href, [flowCookie.give(flow, context.now())]);
}

async function finish({ request, response, context }: Exchange, door: OidcDoor): Promise<void> {
  const { query } = context.request;
  // The code in it is a secret, which no audit entry shall have.
  context.request.query = '';
  const { userId, authorize } = await userOf(context, { query, cookies: request.headers.cookie }, door).catch(
    (error: unknown) => {
      const { organisationId } = door.settings;
      const whom = organisationId === null ? null : { organisationId, userId: '', userType: 'user' as const };
      recordRefusedSignIn(context, { method: 'oidc', target: async () => whom }, error);
      return context.throttle.refuse(error, { door: 'oidc', address: context.request.clientIp });
    },
  );
  const { secret } = await startSignIn(context, await provenUser(door.directory, userId, 'oidc'));
  if (authorize !== null) {
    const given = door.personCookie.give(secret, LIFE_MS / 1000);
    return redirect(response, `../../../oauth/authorize?${new URLSearchParams(authorize)}`, [
      given,
      door.flowCookie.take(),
    ]);
  }
  // Relative to the callback: a proxy may have put it below a path.
  redirect(response, '../../', [door.cookie.give(secret, LIFE_MS / 1000), door.flowCookie.take()]);
}

/** The user behind the provider's answer, who is made where the settings say so. */
async function userOf(
  context: GraphContext,
  { query, cookies }: { query: string; cookies: string | undefined },
  { settings, provider, flowCookie }: OidcDoor,
): Promise<{ userId: string; authorize: string | null }> {
  const flow = flowCookie.read(cookies, context.now());
  if (!flow) {
    throw new GatewayError('UNAUTHENTICATED', {
      message: 'This sign-in did not begin in this browser, or took too long. Sign in again.',
    });
  }
  // Before anything is asked of the provider: two answers at once must not both count.
  await requireFirstAnswer(context.db, context.secrets, flow.state);
  const claims = await provider.finish(query, flow);
  const userId = await ensureProvidedUser(context, await personOf(context.db, claims, settings));
  return { userId, authorize: flow.authorize };
}

function redirect(response: ServerResponse, location: string, cookies: string[]): void {
  response.writeHead(303, {
    ...plainPageHeaders,
    location,
    'set-cookie': cookies,
    'cache-control': 'no-store',
  });
  response.end();
}
