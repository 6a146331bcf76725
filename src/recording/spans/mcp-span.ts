import { SpanKind } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { decodeMcpFacts, type McpFacts } from '../log/mcp.ts';
import type { LogRecord } from '../log/record.ts';
import { type AttributeSource, commonAttributes } from './attributes.ts';
import { spanWith } from './span.ts';

/** By method: what the conventions call the subject of a request. */
const subjects: Readonly<Record<string, string>> = {
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
  'resources/read': 'mcp.resource.uri',
};

/** What a caller asked of an MCP server, in the conventions of OpenTelemetry for MCP: no arguments and no results. */
export function spanOfMcpRequest(record: LogRecord, resource: Resource): ReadableSpan {
  const { spanId, parentSpanId, createdAt, responseTime } = record;
  const facts = factsOf(record);
  const isOfCaller = facts.route === 'endpoint' || facts.route === 'aggregate';
  return spanWith(record, resource, {
    ...{ spanId, parentSpanId, name: nameOf(facts), from: createdAt.getTime(), took: responseTime },
    // A model calls tools from within the process.
    kind: isOfCaller ? SpanKind.SERVER : SpanKind.INTERNAL,
    attributes: { ...commonAttributes(record), ...attributesOf(record, facts) },
  });
}

/** What the server behind it was asked, and how long that took. */
export function spanOfMcpUpstream(record: LogRecord, resource: Resource): ReadableSpan {
  const { spanId, createdAt, upstreamResponseTime } = record;
  const facts = factsOf(record);
  return spanWith(record, resource, {
    ...{ spanId: `${spanId} upstream`, parentSpanId: spanId, name: nameOf(facts), kind: SpanKind.CLIENT },
    ...{ from: createdAt.getTime(), took: upstreamResponseTime },
    attributes: {
      ...attributesOf(record, facts),
      'http.response.status_code': facts.upstreamStatus,
      'sluice.organisation.id': record.organisationId,
      'sluice.workspace.id': record.workspaceId,
      'sluice.mcp.integration.id': facts.integrationId,
    },
  });
}

const factsOf = ({ mcp }: LogRecord): McpFacts => decodeMcpFacts(mcp ?? '{}');

const nameOf = ({ method, subject }: McpFacts): string =>
  method in subjects && subject !== null && method !== 'resources/read' ? `${method} ${subject}` : method;

function attributesOf({ _id, costNanodollars }: LogRecord, facts: McpFacts): AttributeSource {
  const { method, subject, status, errorCode } = facts;
  const named = subjects[method];
  const isError = status === 'success' ? null : String(errorCode ?? status);
  return {
    'mcp.method.name': method,
    'mcp.session.id': facts.sessionId,
    'mcp.protocol.version': facts.protocolVersion,
    ...(named !== undefined && { [named]: subject }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    'jsonrpc.request.id': facts.requestId,
    'rpc.response.status_code': errorCode === null ? null : String(errorCode),
    'error.type': status === 'tool_error' ? status : isError,
    'sluice.log.id': _id,
    'sluice.mcp.server': facts.serverSlug,
    // US dollars.
    'sluice.cost': costNanodollars === null ? null : costNanodollars / 1e9,
  };
}
