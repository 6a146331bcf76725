import { type Oauth2Form, readForm } from '../../../rest-compat/oauth2/form.ts';
import { GatewayError } from '../../errors/index.ts';
import { AuthorizationProblem, type AuthorizationRequest } from '../../mcp/oauth/index.ts';
import { LIFE_MS, signOut } from '../../subgraphs/identity/sign-in/index.ts';
import { ownAddress } from '../../subgraphs/own-address.ts';
import { requireOwnOrigin } from '../own-pages.ts';
import { answerClient } from './answer-client.ts';
import { askConnect, connect, isConnect, serverOfLink } from './connect.ts';
import { allow, type ConsentPlace, grantTo, isAgreed, placeFor } from './consent.ts';
import {
  type AuthorizeDoor,
  type AuthorizeExchange,
  answering,
  askWho,
  elsewhere,
  requestOf,
  show,
  tooLate,
} from './exchange.ts';
import { consentPage, pageHeadersFor } from './page.ts';
import type { Person } from './person.ts';
import { seal, unseal } from './sealed.ts';
import { personOf, signInByKey } from './sign-in.ts';

/** Answers `/oauth/authorize`: a person decides whether a client may act for them at MCP servers. Never rejects. */
export const answerAuthorize = (exchange: AuthorizeExchange, door: AuthorizeDoor): Promise<void> =>
  answering(exchange, async () => {
    const { request, response, context } = exchange;
    if (request.method === 'GET') return ask(exchange, door, context.request.query);
    if (request.method === 'POST') return decide(exchange, door);
    response.setHeader('allow', 'GET, POST');
    throw new GatewayError('METHOD_NOT_ALLOWED');
  });

/** Shows who asks for what, or first who somebody is. */
async function ask(exchange: AuthorizeExchange, door: AuthorizeDoor, query: string): Promise<void> {
  if (isConnect(query)) return askConnect(exchange, door, query);
  const person = await personOf(exchange, door);
  const asked = await requestOf(exchange, query).catch((error: unknown) => {
    // Anybody can register an address: before a person has signed in, no link leads there by itself (RFC 9700, 4.11.2).
    if (person === null && error instanceof AuthorizationProblem)
      throw new AuthorizationProblem(error.problem, null);
    throw error;
  });
  if (!person) return askWho(exchange, door, { asking: asked, query, problem: null });
  const place = await placeFor(exchange.context, door, asked.resource, person);
  if (!place) {
    const problem = `${person.name} may not use this MCP server, or there is none. Sign in as somebody else.`;
    return askWho(exchange, door, { asking: asked, query, problem });
  }
  const { workspaceId } = place;
  if (workspaceId !== null && (await isAgreed(exchange, { asked, person, place })))
    return grantTo(exchange, { asked, person, workspaceId });
  const sealed = seal(exchange.context.secrets, { query, signInId: person.signInId }, exchange.context.now());
  const { client, redirectUri, scopes } = asked;
  const html = consentPage({
    ...{ client, redirectUri, scopes, sealed, person: person.name },
    serverSlug: place.server?.slug ?? null,
    workspaces: place.choice,
  });
  show(exchange, 200, html, undefined, targetsOf(redirectUri, place));
}

/** Where an answer to the form may lead, as a policy of browsers names it. */
function targetsOf(redirectUri: string, { leadsElsewhere }: ConsentPlace): string[] {
  const { protocol, origin } = new URL(redirectUri);
  const own = protocol === 'https:' || protocol === 'http:' ? origin : protocol;
  return leadsElsewhere ? [own, ...elsewhere] : [own];
}

/** What somebody has pressed. */
async function decide(exchange: AuthorizeExchange, door: AuthorizeDoor): Promise<void> {
  const { request, response, context } = exchange;
  requireOwnOrigin(request, ownAddress(context));
  const form = await readForm(request, response, door.bodies);
  const sealed = unseal(context.secrets, form.get('request') ?? '', context.now());
  if (!sealed) throw tooLate();
  const decision = form.get('decision');
  if (decision === 'sign_in') return signIn(exchange, door, { form, query: sealed.query });
  const person = await personOf(exchange, door);
  // The page was made for one sign-in: nobody decides with a page of somebody else.
  if (!person || person.signInId !== sealed.signInId) throw tooLate();
  if (decision === 'sign_out') {
    await signOut(context, person.signInId, person.organisationId);
    return again(exchange, sealed.query, door.cookie.take());
  }
  if (decision === 'connect') return connect(exchange, door, { person, query: sealed.query });
  const asked = await requestOf(exchange, sealed.query);
  if (decision === 'deny')
    return answerClient(exchange, asked, { error: 'access_denied', error_description: 'The user said no.' });
  if (decision !== 'allow')
    throw new GatewayError('VALIDATION_FAILED', {
      ...{ param: 'decision', message: 'decision must be sign_in, allow, deny, connect or sign_out.' },
    });
  return consent(exchange, door, { asked, person, query: sealed.query, workspace: form.get('workspace') });
}

type Agreed = {
  asked: AuthorizationRequest;
  person: Person;
  query: string;
  workspace: string | undefined;
};

async function consent(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { asked, person, query, workspace }: Agreed,
): Promise<void> {
  const place = await placeFor(exchange.context, door, asked.resource, person);
  if (!place) throw new GatewayError('FORBIDDEN', { message: 'You may not use this MCP server.' });
  await allow(exchange, { asked, person, place, query, chosen: workspace });
}

async function signIn(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { form, query }: { form: Oauth2Form; query: string },
): Promise<void> {
  // The key counts for a client or a server that exists, and for nothing that another page makes of it.
  const asking = isConnect(query)
    ? { serverSlug: (await serverOfLink(exchange, door, query)).server.slug }
    : await requestOf(exchange, query);
  try {
    const secret = await signInByKey(exchange, door, form.get('key') ?? '');
    again(exchange, query, door.cookie.give(secret, LIFE_MS / 1000));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.entry.status >= 500) throw error;
    askWho(exchange, door, { asking, query, problem: error.message });
  }
}

/** Sends the browser to where it came from, with another cookie. */
function again({ response }: AuthorizeExchange, query: string, cookie: string): void {
  response.writeHead(303, {
    ...pageHeadersFor([]),
    location: `authorize?${new URLSearchParams(query)}`,
    'set-cookie': cookie,
  });
  response.end();
}
