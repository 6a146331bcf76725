import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../../errors/index.ts';
import type { UpstreamFlow } from '../../mcp/connections/index.ts';
import { UpstreamProblem } from '../../mcp/upstream/index.ts';
import { recordConnection } from '../../subgraphs/mcp/mcp-grant/index.ts';
import { answerClient } from './answer-client.ts';
import { grantTo, placeFor } from './consent.ts';
import {
  type AuthorizeDoor,
  type AuthorizeExchange,
  answering,
  requestOf,
  show,
  tooLate,
} from './exchange.ts';
import { messagePage } from './page.ts';
import type { Person } from './person.ts';
import { personOf } from './sign-in.ts';

/** Answers `/oauth/upstream-callback`, to which a server's issuer leads browsers back. Never rejects. */
export const answerUpstreamCallback = (exchange: AuthorizeExchange, door: AuthorizeDoor): Promise<void> =>
  answering(exchange, async () => {
    const { request, response, context } = exchange;
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      throw new GatewayError('METHOD_NOT_ALLOWED');
    }
    const answer = new URLSearchParams(context.request.query);
    // The code in it is a secret, which no audit entry shall have.
    context.request.query = '';
    const [state, ...others] = answer.getAll('state');
    const flow = state === undefined || others.length > 0 ? null : await context.mcp.connections.take(state);
    const person = await personOf(exchange, door);
    // The browser that comes back must be the one that was sent: else somebody connects another to an account of theirs.
    if (!flow || person?.signInId !== flow.signInId || person.userId !== flow.owner.userId) throw tooLate();
    const problem = await finished(exchange, flow, answer);
    if (problem === null) await recordConnection(context, flow.owner, person.name);
    if (flow.goesOn === null) return told(exchange, problem);
    await goOn(exchange, door, { goesOn: flow.goesOn, person, problem });
  });

/** What went wrong at the issuer; null where somebody is connected now. */
async function finished(
  { context }: AuthorizeExchange,
  flow: UpstreamFlow,
  answer: URLSearchParams,
): Promise<string | null> {
  try {
    await context.mcp.connections.finish(flow, answer);
    return null;
  } catch (error) {
    if (error instanceof UpstreamProblem) return error.message;
    throw error;
  }
}

function told(exchange: AuthorizeExchange, problem: string | null): void {
  if (problem === null)
    show(exchange, 200, messagePage('You are connected', 'Go back to your client and repeat what you did.'));
  else
    show(
      exchange,
      502,
      messagePage(
        'This did not work',
        `You are not connected: ${problem}. Go back to your client and repeat what you did, to be led there again.`,
      ),
    );
}

type GoingOn = { goesOn: NonNullable<UpstreamFlow['goesOn']>; person: Person; problem: string | null };

/** The authorization of a client, in the middle of which somebody was sent to sign in at the server. */
async function goOn(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { goesOn, person, problem }: GoingOn,
): Promise<void> {
  const { query, workspaceId } = goesOn;
  const asked = await requestOf(exchange, query);
  if (problem !== null)
    return answerClient(exchange, asked, { error: 'access_denied', error_description: problem });
  const place = await placeFor(exchange.context, door, asked.resource, person);
  if (place?.workspaceId !== workspaceId) throw tooLate();
  await untilRead(door, person, asked.resource.server?.slug ?? '');
  await grantTo(exchange, { asked, person, workspaceId });
}

const PATIENCE_MS = 5000;
const LOOK_MS = 50;

/** The client comes at once and asks what the server offers, which is read for the first time just now. */
async function untilRead({ snapshot }: AuthorizeDoor, person: Person, slug: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const server = await snapshot.server(person.organisationId, slug);
    if (server === null || server.hello !== null) return;
    await pause(LOOK_MS);
  }
}
