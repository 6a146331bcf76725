import { performance } from 'node:perf_hooks';
import { headerOf } from '../../lib/http/headers.ts';
import type { McpFacts } from '../../recording/log/mcp.ts';
import type { RefusedCaller, RpcFailure } from '../exchange/failure.ts';
import type { McpPlace } from '../paths.ts';
import { INSTANCE } from '../record/logged-facts.ts';
import { mcpRecord, type RecordDependencies } from '../record/record-call.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { type McpKnock, metadataOf } from './visits.ts';

/** A request that was refused before its message was known. */
export type RefusedRequest = {
  method: string;
  knock: McpKnock;
  place: McpPlace;
  /** Null where the credential is not valid: then nobody knows whose request it was. */
  caller: RefusedCaller | null;
  /** Null where there is none, or none that the caller may know of. */
  server: McpServerRecord | null;
  failure: RpcFailure;
};

/** Hands a refusal at the door to the log of the workspace that it belongs to; one that belongs to none has no row. */
export async function recordRefusal(
  { method, knock, place, caller, server, failure }: RefusedRequest,
  { requestLog }: Pick<RecordDependencies, 'requestLog'>,
): Promise<void> {
  const workspaceId = server?.workspaceId ?? caller?.key.principal.workspaceId ?? null;
  if (caller === null || workspaceId === null) return;
  const { headers, route } = knock;
  const slug = (server?.slug ?? ('slug' in place ? place.slug : 'aggregate')).slice(0, 256);
  const status = failure.status === 200 ? 400 : failure.status;
  const record = mcpRecord({ ...knock, caller, metadata: metadataOf(headers, caller) }, workspaceId);
  record.requestMethod = method;
  record.aiModel = slug;
  record.responseStatusCode = status;
  record.isSuccess = false;
  record.responseTime = Math.round(performance.now() - knock.startedAt);
  record.gatewayProcessingTime = record.responseTime;
  record.error = failure.message;
  const version = headerOf(headers, 'mcp-protocol-version')?.slice(0, 64) ?? '';
  const mcp: McpFacts = {
    ...{ method: headerOf(headers, 'mcp-method')?.slice(0, 128) ?? method, subject: null },
    ...{ status: status < 500 ? 'denied' : 'error', errorCode: failure.code },
    ...{ serverId: server?.id ?? null, serverSlug: slug, integrationId: server?.upstream.id ?? null },
    ...{ route, eraClient: version >= '2026' ? 'modern' : 'legacy', eraUpstream: null },
    ...{ protocolVersion: version, requestId: null, sessionId: null },
    ...{ authType: caller.authType, clientId: caller.clientId, upstreamStatus: null, refusedBy: 'door' },
    ...{ clientName: null, clientVersion: null, tokenRefreshed: false, queueMs: null, instance: INSTANCE },
    ...{ progressCount: 0, rounds: 0, retried: 'none', sessionReinitialised: false },
    ...{ inputBytes: null, outputBytes: 0, definitionHash: null, costNanodollars: 0 },
  };
  await requestLog.keep({
    ...{ record, requestHeaders: headers, requestBody: null, finalUntransformed: null, transformed: null },
    ...{ original: null, response: null, keeps: 'none', sensitiveHeaders: [], quotable: [], pricing: null },
    endsCall: false,
    mcp,
  });
}
