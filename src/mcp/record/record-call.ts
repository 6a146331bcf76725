import type { KeyRecord } from '../../directory/memory.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { uuid } from '../../lib/ids.ts';
import { withoutSecrets } from '../../recording/log/answers/masking.ts';
import { blankRecord } from '../../recording/log/blank-record.ts';
import { type KeptBody, type KeptParts, kept } from '../../recording/log/draft.ts';
import type { LogRecord } from '../../recording/log/record.ts';
import type { RequestLog } from '../../recording/log/thread/log-thread.ts';
import { isAggregate } from '../aggregate/index.ts';
import type { RefusedCaller } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { RelayCall } from '../relay/call.ts';
import { listMethods } from '../relay/lists.ts';
import { secretsOf } from '../relay/secrets-of.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { loggedFacts } from './logged-facts.ts';

const MAX_MODEL = 256;
const MAX_CLIENT = 200;

export type RecordDependencies = {
  requestLog: Pick<RequestLog, 'keep'>;
  /** Bytes of each body that go to the log. */
  maxLoggedBytes: number;
  /** Of which requests that are let in: of all, or of those alone that go to a server. */
  logs: 'all' | 'calls';
};

/** Hands a request that has ended to the request log. Resolves when its answer may go out: no kill takes its row any more. */
export function recordCall(
  call: RelayCall,
  { requestLog, maxLoggedBytes }: Omit<RecordDependencies, 'logs'>,
): Promise<void> {
  const { visit, server, facts, method } = call;
  const keeps = keptParts(visit.caller.key, visit);
  const elapsed = Math.round(call.elapsed);
  const record = mcpRecord(visit, server.workspaceId);
  record.aiModel = `${server.slug}/${facts.subject ?? method}`.slice(0, MAX_MODEL);
  record.responseStatusCode = facts.httpStatus;
  record.isSuccess = facts.status === 'success';
  record.streamMode = facts.progressCount > 0 ? 1 : 0;
  record.responseTime = elapsed;
  record.upstreamResponseTime = Math.round(facts.upstreamMs);
  record.gatewayProcessingTime = Math.max(0, elapsed - Math.round(facts.upstreamMs));
  record.clientAborted = facts.status === 'cancelled';
  record.limits = facts.limits;
  record.refusal = facts.refusal;
  record.guardrails = facts.guardrails;
  record.error = facts.errorMessage;
  // What a list says stands in the catalogue, and need not be kept for each look at it.
  const text = facts.status === 'success' && Object.hasOwn(listMethods, method) ? null : facts.text;
  const answer = text === null ? null : answerOf(text, maxLoggedBytes);
  return requestLog.keep({
    record,
    requestHeaders: visit.headers,
    requestBody: keeps === 'none' ? null : bodyOf(call, maxLoggedBytes),
    ...{ finalUntransformed: null, transformed: null, original: null },
    response: answer && keeps !== 'none' ? withoutSecrets(answer, secretsOf(call)) : null,
    keeps,
    sensitiveHeaders: tokenHeaders(server),
    quotable: [],
    pricing: null,
    endsCall: false,
    mcp: loggedFacts(call),
  });
}

/** The bodies that the log keeps, by the same rules as for models. */
function keptParts({ logMode }: KeyRecord, { headers }: McpVisit): KeptParts {
  if (logMode === null && headerOf(headers, 'x-gateway-debug') === 'false') return 'none';
  return logMode === 'metrics' ? 'failed answers' : 'all';
}

const bodyOf = ({ raw, id, method, params }: RelayCall, limit: number): KeptBody =>
  kept(raw ?? Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })), limit);

function answerOf(text: string, limit: number) {
  const bytes = Buffer.from(text);
  const head = bytes.length > limit ? bytes.subarray(0, limit) : bytes;
  const isComplete = head.length === bytes.length;
  const tail = Buffer.alloc(0);
  return {
    headers: { 'content-type': 'application/json' },
    size: bytes.length,
    ...{ head, tail, isComplete },
  };
}

/** Headers in which the token of a person may come. */
function tokenHeaders(server: McpServerRecord): string[] {
  const servers = isAggregate(server) ? server.servers : [server];
  return servers.flatMap(
    ({ upstream }) => upstream.configurations.jwt_validation?.headerKey.toLowerCase() ?? [],
  );
}

/** A record of what is known of every request. */
export function mcpRecord(
  visit: Omit<McpVisit, 'era' | 'version' | 'session' | 'caller'> & { caller: RefusedCaller },
  workspaceId: string,
): LogRecord {
  const { trace, headers } = visit;
  const { principal } = visit.caller.key;
  const record = blankRecord();
  record._id = uuid();
  record.organisationId = principal.organisationId;
  record.workspaceId = workspaceId;
  record.apiKeyId = principal.id;
  record.userId = principal.userId;
  record.createdAt = visit.createdAt;
  record.traceId = trace.traceId;
  record.spanId = trace.spanId;
  record.spanName = trace.spanName;
  record.parentSpanId = trace.parentSpanId;
  record.callerSpanId = trace.parentSpanId;
  record.requestMethod = 'POST';
  record.requestUrl = visit.url;
  record.endpoint = 'mcp';
  record.aiProvider = 'mcp';
  record.source = headers['user-agent']?.slice(0, MAX_CLIENT) ?? null;
  record.metadata = { ...visit.metadata };
  return record;
}
