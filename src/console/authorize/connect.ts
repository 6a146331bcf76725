import { hostnameOf } from '../../lib/http/custom-host.ts';
import { type ConnectLink, readConnectLink } from '../../mcp/connections/index.ts';
import type { McpServerRecord } from '../../mcp/snapshot/index.ts';
import { placeAt } from './consent.ts';
import { type AuthorizeDoor, type AuthorizeExchange, askWho, elsewhere, show, tooLate } from './exchange.ts';
import { leadOn } from './lead-on.ts';
import { connectPage } from './page.ts';
import type { Person } from './person.ts';
import { seal } from './sealed.ts';
import { personOf } from './sign-in.ts';

/** Whether a browser came by an address with which somebody connects to a server. */
export const isConnect = (query: string): boolean => query.startsWith('connect=');

/** The server that such an address leads to, and whom; throws FORBIDDEN for an address that is too old or was made up. */
export async function serverOfLink(
  { context }: AuthorizeExchange,
  { snapshot }: AuthorizeDoor,
  query: string,
): Promise<{ server: McpServerRecord } & Pick<ConnectLink, 'organisationId' | 'userId' | 'scope'>> {
  const text = new URLSearchParams(query).get('connect') ?? '';
  const link = readConnectLink(context.secrets, text, context.now().getTime());
  const server = link && (await snapshot.server(link.organisationId, link.serverId));
  if (!link || server?.upstream.authType !== 'oauth_auto') throw tooLate();
  const { organisationId, userId, scope } = link;
  return { server, organisationId, userId, scope };
}

/** Shows where somebody is to be led, to the very user whose call needs it. */
export async function askConnect(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  query: string,
): Promise<void> {
  const { server } = await serverOfLink(exchange, door, query);
  const asking = { serverSlug: server.slug };
  const person = await personOf(exchange, door);
  if (!person) return askWho(exchange, door, { asking, query, problem: null });
  if (!(await isFor(exchange, door, { person, query }))) {
    const problem = 'This address is for another user. Sign in as the one whose client has asked for it.';
    return askWho(exchange, door, { asking, query, problem });
  }
  const { context } = exchange;
  const sealed = seal(context.secrets, { query, signInId: person.signInId }, context.now());
  const host = hostnameOf(new URL(server.upstream.url));
  const html = connectPage({ serverSlug: server.slug, host, person: person.name, sealed });
  show(exchange, 200, html, undefined, elsewhere);
}

type Coming = { person: Person; query: string };

/** Whether an address was made for a person, who may still use the server. */
async function isFor(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  { person, query }: Coming,
): Promise<boolean> {
  const { server, organisationId, userId } = await serverOfLink(exchange, door, query);
  if (person.organisationId !== organisationId || person.userId !== userId) return false;
  return (await placeAt(door, { slug: server.slug, workspace: null }, person)) !== null;
}

/** Leads somebody to where they sign in. */
export async function connect(
  exchange: AuthorizeExchange,
  door: AuthorizeDoor,
  coming: Coming,
): Promise<void> {
  if (!isConnect(coming.query) || !(await isFor(exchange, door, coming))) throw tooLate();
  const { server, scope } = await serverOfLink(exchange, door, coming.query);
  await leadOn(exchange, { server, person: coming.person, goesOn: null, scope });
}
