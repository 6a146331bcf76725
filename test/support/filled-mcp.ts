import { uuid } from '../../src/lib/ids.ts';
import { mcpGrantModel } from '../../src/mcp/oauth/index.ts';
import {
  mcpCapabilityModel,
  mcpCatalogueModel,
  mcpSwitchModel,
} from '../../src/subgraphs/mcp/mcp-capability/index.ts';
import { mcpConnectionModel } from '../../src/subgraphs/mcp/mcp-connection/index.ts';
import { mcpIntegrationModel } from '../../src/subgraphs/mcp/mcp-integration/index.ts';
import { mcpServerModel } from '../../src/subgraphs/mcp/mcp-server/index.ts';
import { mcpUserAccessModel } from '../../src/subgraphs/mcp/mcp-user-access/index.ts';
import type { TestApp } from './app.ts';

type Each = { name: string; slug: string; workspaceId: string; userId: string; secretReferenceId: string };

/** What a tenant has of MCP: as many items in each list as there are of everything else. */
export async function fillMcp(app: TestApp, organisationId: string, each: readonly Each[]) {
  const never = new Date('2100-01-01T00:00:00Z');
  const secretMappings = each.map(({ secretReferenceId, slug }) => ({
    ...{ targetField: `configurations.headers.x-${slug}`, secretReferenceId },
    ...{ secretKey: null, valueFormat: null },
  }));
  const members = {
    ...{ organisationId, authType: 'none' as const, transport: 'http' as const, ownerId: 'somebody' },
    // Nobody listens there.
    ...{ url: 'http://127.0.0.1:8/mcp', secretMappings },
  };
  // The one of the organisation is older: lists show the others first.
  const [common, ...owned] = [uuid(), ...each.map(() => uuid())] as [string, ...string[]];
  const at = new Date('2020-01-01T00:00:00Z');
  const entries = each.map(({ workspaceId }) => ({
    ...{ workspaceId, enabled: true, createdAt: at, lastUpdatedAt: at },
  }));
  await mcpIntegrationModel(app.db).insertMany([
    { _id: common, ...members, name: 'Common', slug: 'common', createdAt: at, workspaces: entries },
    ...each.map(({ name, slug, workspaceId }, index) => ({
      ...{ _id: owned[index], ...members, name, slug, workspaceId },
    })),
  ]);
  const integrations = [common, ...owned];
  await mcpCatalogueModel(app.db).insertMany(
    integrations.map((_id) => ({ _id, organisationId, nextSyncAt: never })),
  );
  await mcpCapabilityModel(app.db).insertMany(
    integrations.flatMap((mcpIntegrationId) =>
      each.map(({ slug }, position) => ({
        ...{ _id: uuid(), organisationId, mcpIntegrationId, type: 'tool' as const, name: slug, key: slug },
        ...{ position, definition: JSON.stringify({ name: slug, inputSchema: {} }), hash: 'none' },
      })),
    ),
  );
  const servers = each.map(({ name, slug, workspaceId }, index) => ({
    ...{ _id: uuid(), organisationId, workspaceId, name, slug, ownerId: 'somebody' },
    mcpIntegrationId: owned[index] ?? common,
  }));
  await mcpServerModel(app.db).insertMany(servers);
  await mcpSwitchModel(app.db).insertMany(
    servers.flatMap(({ _id: mcpServerId }) =>
      each.map(({ slug: key }) => ({
        ...{ _id: uuid(), organisationId, mcpServerId, type: 'tool' as const, key, enabled: false },
      })),
    ),
  );
  await mcpUserAccessModel(app.db).insertMany(
    servers.flatMap(({ _id: mcpServerId }) =>
      each.map(({ userId }) => ({ _id: uuid(), organisationId, mcpServerId, userId, enabled: true })),
    ),
  );
  await mcpConnectionModel(app.db).insertMany(
    integrations.flatMap((mcpIntegrationId) =>
      each.map(({ userId }) => ({
        ...{ _id: uuid(), organisationId, mcpIntegrationId, userId, issuer: 'https://issuer.example' },
      })),
    ),
  );
  await mcpGrantModel(app.db).insertMany(
    each.map(({ userId, workspaceId, slug }) => ({
      ...{ _id: uuid(), organisationId, workspaceId, userId, holder: { kind: 'user' as const, userId } },
      ...{
        clientId: slug,
        clientName: slug,
        redirectUri: 'https://client.example/',
        scopes: ['mcp' as const],
      },
      ...{ resource: 'https://gateway.example/mcp', codeUsedAt: at, rotatedAt: at, generation: 1 },
      ...{ createdAt: at, expiresAt: never },
    })),
  );
  return { mcpIntegrationId: common, mcpServerId: servers[0]?._id ?? '' };
}
