import { GatewayError } from '../../errors/index.ts';
import type { UpstreamFlow } from '../../mcp/connections/index.ts';
import type { McpServerRecord } from '../../mcp/snapshot/index.ts';
import { UpstreamProblem } from '../../mcp/upstream/index.ts';
import { ownAddress } from '../../subgraphs/own-address.ts';
import type { AuthorizeExchange } from './exchange.ts';
import { pageHeadersFor } from './page.ts';
import type { Person } from './person.ts';

export const ownerOf = (
  { organisationId, userId }: Pick<Person, 'organisationId' | 'userId'>,
  { upstream }: McpServerRecord,
) => ({ organisationId, userId, mcpIntegrationId: upstream.id });

type Leading = {
  server: McpServerRecord;
  person: Person;
  goesOn: UpstreamFlow['goesOn'];
  scope?: string | null;
};

/** Sends a browser to where a server's users sign in. */
export async function leadOn(
  { response, context }: AuthorizeExchange,
  { server, person, goesOn, scope = null }: Leading,
): Promise<void> {
  const asked = {
    ...{ owner: ownerOf(person, server), signInId: person.signInId, goesOn },
    ...{ target: server.upstream, base: ownAddress(context), scope },
  };
  const address = await context.mcp.connections.begin(asked).catch((error: unknown) => {
    throw error instanceof UpstreamProblem ? unavailable(server.slug, error) : error;
  });
  response.writeHead(303, { ...pageHeadersFor([]), location: address.href });
  response.end();
}

export const unavailable = (slug: string, cause: UpstreamProblem): GatewayError =>
  new GatewayError('ISSUER_UNAVAILABLE', {
    message: `Nobody can sign in at the MCP server ${slug} now: ${cause.message}.`,
    cause,
  });
