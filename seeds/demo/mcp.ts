import type { Ask } from './graph.ts';

const server = { slug: 'search-tools', name: 'Search tools', workspaceId: 'search' };

/** Opens the MCP server that is built in to one workspace, unless it is open already. */
export async function seedMcp(ask: Ask): Promise<void> {
  const found = await ask<{ mcpServers: { data: { slug: string }[] } }>(
    '{ mcpServers(pageSize: 100) { data { slug } } }',
  );
  if (found.mcpServers.data.some(({ slug }) => slug === server.slug)) return;
  const { made } = await ask<{ made: { id: string } }>(
    'mutation ($input: CreateMcpIntegrationInput!) { made: createMcpIntegration(input: $input) { id } }',
    {
      input: {
        name: 'Built-in tools',
        workspaceId: server.workspaceId,
        url: 'mock://server',
        authType: 'none',
        transport: 'http',
      },
    },
  );
  await ask('mutation ($input: CreateMcpServerInput!) { createMcpServer(input: $input) { id } }', {
    input: { ...server, mcpIntegrationId: made.id },
  });
}
