import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Oauth2Form, readForm } from '../../../rest-compat/oauth2/form.ts';
import { errorHeaders, GatewayError, type GatewayError as Refusal } from '../../errors/index.ts';
import { toGraphError } from '../../graph/index.ts';
import { BodyAborted, type BodyBudget } from '../../lib/bodies/index.ts';
import { AuthorizationProblem, type AuthorizationRequest } from '../../mcp/oauth/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { LIFE_MS, signOut } from '../../subgraphs/identity/sign-in/index.ts';
import { mcpAddress, ownAddress } from '../../subgraphs/own-address.ts';
import type { Cookie } from '../cookie.ts';
import { requireOwnOrigin } from '../own-pages.ts';
import { answerClient } from './answer-client.ts';
import { allow, type ConsentPlace, placeFor } from './consent.ts';
import { consentPage, messagePage, pageHeadersFor, signInPage } from './page.ts';
import type { Person } from './person.ts';
import { seal, unseal } from './sealed.ts';
import { type PersonDoor, personOf, signInByKey } from './sign-in.ts';

export type AuthorizeDoor = PersonDoor & {
  bodies: BodyBudget;
  /** Whether people sign in at an identity provider too. */
  hasOidc: boolean;
  cookie: Cookie;
};

export type AuthorizeExchange = { request: IncomingMessage; response: ServerResponse; context: GraphContext };

/** Characters of a query that a page takes along. */
const MAX_QUERY = 6000;
/** The same where an identity provider is asked meanwhile: a cookie keeps it, and has no more room. */
const MAX_OIDC_QUERY = 2000;

/** Answers `/oauth/authorize`: a person decides whether a client may act for them at MCP servers. Never rejects. */
export async function answerAuthorize(exchange: AuthorizeExchange, door: AuthorizeDoor): Promise<void> {
  const { request, response, context } = exchange;
  try {
    if (request.method === 'GET') return await ask(exchange, door, context.request.query);
    if (request.method === 'POST') return await decide(exchange, door);
    response.setHeader('allow', 'GET, POST');
    throw new GatewayError('METHOD_NOT_ALLOWED');
  } catch (thrown) {
    if (thrown instanceof BodyAborted) return;
    if (thrown instanceof AuthorizationProblem) return refuseRequest(exchange, thrown);
    const error = toGraphError(thrown);
    if (error.entry.status >= 500) context.log.error({ error }, error.message);
    show(exchange, error.entry.status, messagePage('This did not work', error.message), error);
  }
}

function refuseRequest(exchange: AuthorizeExchange, { problem, answerAt }: AuthorizationProblem): void {
  if (answerAt) {
    const { code: error, message } = problem;
    answerClient(exchange, answerAt, { error, error_description: message });
    return;
  }
  show(
    exchange,
    problem.status === 401 ? 400 : problem.status,
    messagePage('This did not work', problem.message),
  );
}

const requestOf = ({ context }: AuthorizeExchange, query: string): Promise<AuthorizationRequest> => {
  if (query.length > MAX_QUERY)
    throw new GatewayError('VALIDATION_FAILED', {
      message: `The query has at most ${MAX_QUERY} characters.`,
    });
  return context.mcp.oauth.authorization(new URLSearchParams(query), mcpAddress(context));
};

/** Shows who asks for what, or first who somebody is. */
async function ask(exchange: AuthorizeExchange, door: AuthorizeDoor, query: string): Promise<void> {
  const asked = await requestOf(exchange, query);
  const person = await personOf(exchange, door);
  if (!person) return askWho(exchange, door, { asked, query, problem: null });
  const place = await placeFor(exchange.context, door, asked.resource, person);
  if (!place) {
    const problem = `${person.name} may not use this MCP server, or there is none. Sign in as somebody else.`;
    return askWho(exchange, door, { asked, query, problem });
  }
  const sealed = seal(exchange.context.secrets, { query, signInId: person.signInId }, exchange.context.now());
  const { client, redirectUri, scopes } = asked;
  const html = consentPage({
    ...{ client, redirectUri, scopes, sealed, person: person.name },
    serverSlug: place.server?.slug ?? null,
    workspaces: place.choice,
  });
  show(exchange, 200, html, undefined, targetsOf(redirectUri, place));
}

type Who = { asked: AuthorizationRequest; query: string; problem: string | null };

function askWho(exchange: AuthorizeExchange, door: AuthorizeDoor, { asked, query, problem }: Who): void {
  const { context } = exchange;
  const sealed = seal(context.secrets, { query, signInId: null }, context.now());
  const offersOidc = door.hasOidc && query.length <= MAX_OIDC_QUERY;
  const oidcPath = `${ownAddress(context)}/console/sign-in/oidc?${new URLSearchParams({ authorize: query })}`;
  const { client, redirectUri } = asked;
  const html = signInPage({ client, redirectUri, sealed, problem, oidcPath: offersOidc ? oidcPath : null });
  show(exchange, 200, html);
}

/** Where an answer to the form may lead, as a policy of browsers names it. */
function targetsOf(redirectUri: string, { leadsElsewhere }: ConsentPlace): string[] {
  const { protocol, origin } = new URL(redirectUri);
  const own = protocol === 'https:' || protocol === 'http:' ? origin : protocol;
  return leadsElsewhere ? [own, 'https:'] : [own];
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
  const asked = await requestOf(exchange, sealed.query);
  if (decision === 'deny')
    return answerClient(exchange, asked, { error: 'access_denied', error_description: 'The user said no.' });
  if (decision !== 'allow')
    throw new GatewayError('VALIDATION_FAILED', {
      ...{ param: 'decision', message: 'decision must be sign_in, allow, deny or sign_out.' },
    });
  return consent(exchange, door, { asked, person, workspace: form.get('workspace') });
}

type Agreed = { asked: AuthorizationRequest; person: Person; workspace: string | undefined };

async function consent(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { asked, person, workspace }: Agreed,
): Promise<void> {
  const place = await placeFor(exchange.context, door, asked.resource, person);
  if (!place) throw new GatewayError('FORBIDDEN', { message: 'You may not use this MCP server.' });
  await allow(exchange, { asked, person, place, chosen: workspace });
}

async function signIn(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { form, query }: { form: Oauth2Form; query: string },
): Promise<void> {
  // The key counts for a client that exists, and for nothing that a page of another makes of it.
  const asked = await requestOf(exchange, query);
  try {
    const secret = await signInByKey(exchange, door, form.get('key') ?? '');
    again(exchange, query, door.cookie.give(secret, LIFE_MS / 1000));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.entry.status >= 500) throw error;
    askWho(exchange, door, { asked, query, problem: error.message });
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

function show(
  { response, context }: AuthorizeExchange,
  status: number,
  html: string,
  error?: Refusal,
  targets: readonly string[] = [],
): void {
  response.writeHead(status, {
    ...pageHeadersFor(targets),
    ...(error && errorHeaders(error)),
    'x-request-id': context.request.id,
  });
  response.end(html);
}

const tooLate = () =>
  new GatewayError('FORBIDDEN', {
    message: 'This page is too old, or of another sign-in. Go back to your client and begin again.',
  });
