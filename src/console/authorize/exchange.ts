import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorHeaders, GatewayError, type GatewayError as Refusal } from '../../errors/index.ts';
import { toGraphError } from '../../graph/index.ts';
import { BodyAborted, type BodyBudget } from '../../lib/bodies/index.ts';
import { AuthorizationProblem, type AuthorizationRequest } from '../../mcp/oauth/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { mcpAddress, ownAddress } from '../../subgraphs/own-address.ts';
import type { Cookie } from '../cookie.ts';
import { answerClient } from './answer-client.ts';
import { type AskingParty, messagePage, pageHeadersFor, signInPage } from './page.ts';
import { seal } from './sealed.ts';
import type { PersonDoor } from './sign-in.ts';

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

/** Does what a page is for; whatever goes wrong is told to the person, or to the client. */
export async function answering(exchange: AuthorizeExchange, work: () => Promise<void>): Promise<void> {
  const { context } = exchange;
  try {
    await work();
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

export const requestOf = ({ context }: AuthorizeExchange, query: string): Promise<AuthorizationRequest> => {
  if (query.length > MAX_QUERY)
    throw new GatewayError('VALIDATION_FAILED', {
      message: `The query has at most ${MAX_QUERY} characters.`,
    });
  return context.mcp.oauth.authorization(new URLSearchParams(query), mcpAddress(context));
};

type Who = { asking: AskingParty; query: string; problem: string | null };

export function askWho(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { asking, query, problem }: Who,
): void {
  const { context } = exchange;
  const sealed = seal(context.secrets, { query, signInId: null }, context.now());
  const offersOidc = door.hasOidc && query.length <= MAX_OIDC_QUERY;
  const oidcPath = `${ownAddress(context)}/console/sign-in/oidc?${new URLSearchParams({ authorize: query })}`;
  const html = signInPage({ asking, sealed, problem, oidcPath: offersOidc ? oidcPath : null });
  show(exchange, 200, html);
}

/** Where issuers of other servers may be; which one it is, their servers say later. */
export const elsewhere: readonly string[] = ['https:', 'http:'];

export function show(
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

export const tooLate = () =>
  new GatewayError('FORBIDDEN', {
    message: 'This page is too old, or of another sign-in. Go back to your client and begin again.',
  });
