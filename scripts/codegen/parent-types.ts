import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, Kind } from 'graphql';
import { isStub } from '../../src/graph/composition/subgraph-document.ts';

const subgraphs = new URL('../../src/subgraphs/', import.meta.url);

/** By subgraph, the types whose objects are neither a model's documents nor shaped as the SDL says. */
const others: Record<string, Record<string, string>> = {
  assistants: {
    Batch: '../../batches/batch.ts#BatchDocument',
    BatchError: '../../batches/batch.ts#BatchProblem',
    File: '../../files/file.ts#FileDocument',
    Run: '../../runs/run.ts#RunDocument',
    RunEvent: '../../runs/events/channel.ts#PlacedRunEvent',
    RunStep: './run-step/service.ts#RunStepRow',
    ThreadMessage: '../../runs/items.ts#MessageItem',
    VectorStore: '../../knowledge/documents.ts#VectorStoreDocument',
    VectorStoreFile: '../../knowledge/documents.ts#VectorStoreFileDocument',
    VectorStoreFileBatch: '../../knowledge/documents.ts#VectorStoreFileBatchDocument',
  },
  catalog: {
    GlobalWorkspaceAccess: './integration/model.ts#WorkspaceAccess',
    IntegrationWorkspace: './integration/workspaces/limits.ts#ShownEntry',
    VirtualKey: './virtual-key/service.ts#VirtualKeyRow',
  },
  identity: {
    Installation: '../installation-facts.ts#RunningFacts',
    Role: './role/built-in.ts#ShownRole',
    Viewer: './viewer/service.ts#ViewerShown',
    ViewerWorkspace: './viewer/service.ts#ViewerWorkspaceShown',
  },
  mcp: {
    McpConnection: '../../mcp/connections/model.ts#McpConnectionDocument',
    McpGrant: '../../mcp/oauth/index.ts#McpGrantDocument',
    McpIntegrationWorkspace: './mcp-integration/model.ts#McpWorkspaceEntry',
  },
  routing: {
    ConfigVersion: './config/loaders.ts#VersionRow',
    LimitCounter: '../../limits/engine/index.ts#CounterReport',
    UsageLimitPolicy: './usage-limit-policy/model.ts#UsageLimitPolicyShown',
  },
  insights: {
    Analytics: './analytics/service.ts#Analytics',
    AuditLog: '../../recording/audit/chain.ts#StoredAuditEntry',
    Log: '../../recording/log/record.ts#LogRecord',
    AnalyticsGroup: './analytics/group-page.ts#ShownGroup',
    LogPage: './log/service.ts#LogSelection',
    LimitAlarm: '../../limits/alarms/model.ts#LimitAlarmDocument',
    Mail: '../../mail/model.ts#MailDocument',
    Span: './trace/tree.ts#SpanNode',
    Trace: './trace/service.ts#TraceTree',
    WebhookDelivery: '../../webhooks/delivery.ts#WebhookDeliveryDocument',
    WebhookEndpoint: '../../webhooks/endpoint.ts#WebhookEndpointDocument',
  },
};

/**
 * What the resolvers of a subgraph get and answer for its types, as `<file>#<type>` by the type's name: `<Name>Document`
 * of a model, a type that is listed above, or the id alone for an entity that another subgraph owns.
 */
export function parentTypes(subgraph: string, document: DocumentNode): Record<string, string> {
  return { ...references(document), ...documents(subgraph), ...others[subgraph] };
}

const references = ({ definitions }: DocumentNode): Record<string, string> =>
  Object.fromEntries(
    definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION && isStub(definition)
        ? [[definition.name.value, '../subgraph.ts#EntityReference']]
        : [],
    ),
  );

function documents(subgraph: string): Record<string, string> {
  const folder = new URL(`${subgraph}/`, subgraphs);
  const models = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('/model.ts'),
  );
  return Object.fromEntries(
    models.sort().flatMap((path) => {
      const declared = readFileSync(new URL(path, folder), 'utf8').matchAll(/^export type (\w+)Document\b/gm);
      return [...declared].map(([, name]) => [name, `./${path}#${name}Document`]);
    }),
  );
}
