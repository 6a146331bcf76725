import type { Principal } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import type { AuthorizationRequest, ProtectedResource } from '../../mcp/oauth/index.ts';
import { type McpServerRecord, mcpAccess } from '../../mcp/snapshot/index.ts';
import { UpstreamProblem } from '../../mcp/upstream/index.ts';
import type { GraphContext } from '../../subgraphs/context.ts';
import { recordGrant } from '../../subgraphs/mcp/mcp-grant/index.ts';
import { answerClient } from './answer-client.ts';
import type { AuthorizeExchange } from './exchange.ts';
import { leadOn, ownerOf, unavailable } from './lead-on.ts';
import { isIn, type Person, workspacesOf } from './person.ts';
import type { PersonDoor } from './sign-in.ts';

/** Where a client would act for somebody. */
export type ConsentPlace = {
  /** Null for all MCP servers of a workspace. */
  server: McpServerRecord | null;
  /** The only workspace in question; null where the person must choose. */
  workspaceId: string | null;
  /** The workspaces to choose from; none where there is no choice. */
  choice: { id: string; name: string }[];
  /** Whether the browser goes on to the server's own sign-in. */
  leadsElsewhere: boolean;
};

/** The place that a resource stands for; null where there is none, or the person may not go there. */
export async function placeFor(
  context: GraphContext,
  door: PersonDoor,
  resource: ProtectedResource,
  person: Person,
): Promise<ConsentPlace | null> {
  if (resource.server) return placeAt(door, resource.server, person);
  const workspaces = await workspacesOf(context, person);
  const [only, ...others] = workspaces;
  if (!only) return null;
  const isOne = others.length === 0;
  return {
    server: null,
    workspaceId: isOne ? only.id : null,
    choice: isOne ? [] : workspaces,
    leadsElsewhere: false,
  };
}

export async function placeAt(
  { snapshot, directory }: PersonDoor,
  { slug, workspace }: NonNullable<ProtectedResource['server']>,
  person: Person,
): Promise<ConsentPlace | null> {
  const server = await snapshot.server(person.organisationId, slug);
  if (!server || !isIn(person, server.workspaceId)) return null;
  if (workspace !== null) {
    const named = await directory.workspaces.get(`${person.organisationId}/${workspace}`);
    if (named?.id !== server.workspaceId) return null;
  }
  if (mcpAccess(server, principalOf(person, server.workspaceId)) !== 'allowed') return null;
  return {
    server,
    workspaceId: server.workspaceId,
    choice: [],
    leadsElsewhere: server.upstream.authType === 'oauth_auto',
  };
}

const principalOf = ({ userId, name, organisationId }: Person, workspaceId: string): Principal => ({
  ...{ kind: 'user', id: userId, userId, name, organisationId, workspaceId },
  ...{ scopes: new Set(), metadata: {} },
});

type Allowed = {
  asked: AuthorizationRequest;
  person: Person;
  place: ConsentPlace;
  /** With which the client sent the browser here. */
  query: string;
  /** The workspace that the person has chosen. */
  chosen: string | undefined;
};

/** Grants what was asked for; where the server wants each user to sign in, the browser goes there first. */
export async function allow(
  exchange: AuthorizeExchange,
  { asked, person, place, query, chosen }: Allowed,
): Promise<void> {
  const { context } = exchange;
  const workspaceId = place.workspaceId ?? place.choice.find(({ id }) => id === chosen)?.id;
  if (workspaceId === undefined)
    throw new GatewayError('VALIDATION_FAILED', {
      ...{ param: 'workspace', message: 'workspace must be one of those that the page offers.' },
    });
  const { server } = place;
  if (server?.upstream.authType === 'oauth_auto') {
    const owner = ownerOf(person, server);
    const isConnected = await context.mcp.connections.has(owner).catch((error: unknown) => {
      throw error instanceof UpstreamProblem ? unavailable(server.slug, error) : error;
    });
    if (!isConnected) return leadOn(exchange, { server, person, goesOn: { query, workspaceId } });
  }
  return grantTo(exchange, { asked, person, workspaceId });
}

/**
 * Whether a client need not be let in anew: the same person has agreed to as much, at the only place in question, and nobody is to
 * be led anywhere but back to the client.
 */
export async function isAgreed(
  { context }: AuthorizeExchange,
  { asked, person, place }: Pick<Allowed, 'asked' | 'person' | 'place'>,
): Promise<boolean> {
  const { client, redirectUri, scopes, resource, asksAnew } = asked;
  const { workspaceId, server, leadsElsewhere } = place;
  if (asksAnew || workspaceId === null) return false;
  const { organisationId, userId, holder } = person;
  const has = await context.mcp.oauth.hasAgreed({
    ...{ organisationId, workspaceId, userId, holder, clientId: client.id },
    ...{ redirectUri, resource: resource.url, scopes },
  });
  if (!has || server === null || !leadsElsewhere) return has;
  return context.mcp.connections.has(ownerOf(person, server)).catch((error: unknown) => {
    if (error instanceof UpstreamProblem) return false;
    throw error;
  });
}

/** Grants what somebody has agreed to, and sends the browser back to the client with a code. */
export async function grantTo(
  exchange: AuthorizeExchange,
  { asked, person, workspaceId }: Pick<Allowed, 'asked' | 'person'> & { workspaceId: string },
): Promise<void> {
  const { context } = exchange;
  const { client, redirectUri, scopes, resource, codeChallenge } = asked;
  const { organisationId, userId, holder } = person;
  const consented = {
    ...{ organisationId, workspaceId, userId, holder, clientId: client.id, clientName: client.name },
    ...{ redirectUri, resource: resource.url, scopes, codeChallenge },
  };
  const { grantId, code } = await context.mcp.oauth.grant(consented);
  await recordGrant(context, { ...consented, _id: grantId }, person.name);
  answerClient(exchange, asked, { code });
}
