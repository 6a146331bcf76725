import { performance } from 'node:perf_hooks';
import type { GatewayError } from '../errors/index.ts';
import { headerOf } from '../lib/http/headers.ts';
import { uuid } from '../lib/ids.ts';
import type { LimitAsk } from '../limits/engine.ts';
import { encodingOf } from '../recording/log/answers/capture.ts';
import { messageWithoutSecrets, withoutSecrets } from '../recording/log/answers/masking.ts';
import { blankRecord } from '../recording/log/blank-record.ts';
import { type KeptBody, type KeptMessage, kept } from '../recording/log/draft.ts';
import { encodeCounted, encodeRefusal, type LimitRefusal } from '../recording/log/limits.ts';
import type { LogRecord } from '../recording/log/record.ts';
import { encodeRouting } from '../recording/log/routing.ts';
import { emptyPlan, type Leaf } from '../routing-config/plan.ts';
import { secretsOf, sentSecretsOf } from './answer/quoted-secrets.ts';
import { isEventStream } from './answer/relay.ts';
import type { AttemptResult, Settled } from './answer/settled.ts';
import type { Call } from './call/call.ts';
import type { Span } from './call/trace.ts';
import { keptParts } from './call/tracking.ts';
import { MAX_TRIES } from './call/tries.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import type { LegGuardrails } from './guardrails/leg-guardrails.ts';
import { type LateResults, loggedGuardrails } from './guardrails/logged.ts';
import type { LegLimits } from './limits/leg-limits.ts';
import type { OutgoingBody } from './request/body.ts';
import type { UpstreamRequest } from './send/upstream.ts';
import type { WireTap } from './send/wire-tap.ts';
import type { Target } from './target/target.ts';

const MAX_MODEL_LENGTH = 256;
/** Characters of what a client says about itself. */
const MAX_CLIENT_LENGTH = 200;

const NO_HEADERS = {};
const NONE: readonly string[] = [];

/** What of a leg is recorded. */
type RecordedLeg = {
  call: Call;
  leaf: Leaf;
  target: Target;
  request: UpstreamRequest;
  body: OutgoingBody;
  /** `from`: the body in the caller's format, where `body` is a translation of it. */
  translated: { from: OutgoingBody } | null;
  tap: WireTap | null;
  cache: { status: LogRecord['cacheStatus']; mode: LogRecord['cacheMode'] } | null;
  /** What its attempts took of limits, and which limit refused the last of them. */
  limits?: LegLimits | null;
  refusal?: GatewayError | null;
  guards?: LegGuardrails | null;
  /** Of the try, where the call may have another one by now. */
  span?: Span;
  /** On the clock of `performance.now()`. */
  startedAt: number;
};

/** Hands a leg to the request log; what can wait (token counts, redaction, texts) is done there. */
export function recordWithProvider(
  leg: RecordedLeg,
  settled: Settled,
  { requestLog, maxLoggedBytes }: DataplaneDependencies,
  late: LateResults = [],
): void {
  const { call, leaf, target, body, translated, tap, cache, startedAt } = leg;
  const { result, status, capture, retryCount, isMasked, endedAt: now } = settled;
  call.clock.atTargets += now - startedAt;
  // A caller that hangs up after the last byte has its answer; one that does so between two attempts has none.
  const clientAborted = call.disconnect.happened && (result.failure === 'aborted' || !result.relayed);
  const keeps = keptParts(call);
  const answered = tap?.answered() ?? null;
  const secrets = keeps === 'none' ? [] : quotable(leg, status);
  const isPacked =
    encodingOf(result.headers) !== null || (answered !== null && encodingOf(answered.headers) !== null);
  const record = recordOf(call, leg.span ?? call.span, startedAt);
  record.aiProvider = target.provider.id;
  record.aiModel = target.model?.slice(0, MAX_MODEL_LENGTH) ?? null;
  record.providerId = target.record?.id ?? null;
  record.providerSlug = target.record?.slug ?? null;
  record.integrationId = target.record?.integrationId ?? null;
  record.mode = leaf.mode;
  record.lastUsedOptionIndex = leaf.index;
  record.lastUsedOptionJsonPath = leaf.path;
  record.retryAttemptCount = retryCount;
  record.responseStatusCode = status;
  record.isSuccess = isSuccess(status) && result.failure === null && result.defect === null;
  record.streamMode = isEventStream(result.headers) ? 1 : 0;
  record.responseTime = Math.round(now - call.clock.startedAt);
  record.timeToFirstToken = result.firstByte === null ? null : Math.round(result.firstByte);
  record.upstreamResponseTime = Math.round(now - startedAt);
  record.gatewayProcessingTime = Math.round(now - call.clock.startedAt - call.clock.atTargets);
  record.cacheStatus = cache?.status ?? 'DISABLED';
  record.cacheMode = cache?.mode ?? null;
  record.clientAborted = clientAborted;
  record.limits = countedBy(leg);
  record.refusal = refusalIn(leg.refusal ?? null);
  record.guardrails = leg.guards ? loggedGuardrails(leg.guards, late) : null;
  record.error = withTries(call, failureText(result, clientAborted));
  requestLog.add({
    record,
    requestHeaders: call.headers,
    requestBody: bodyOf(call, maxLoggedBytes),
    finalUntransformed: tap ? contentOf(translated?.from ?? body, maxLoggedBytes) : null,
    transformed: tap ? tap.asked : changedRequest(leg, maxLoggedBytes),
    response: isMasked ? capture.taken() : withoutSecrets(capture.taken(), secrets),
    original: answered && messageWithoutSecrets(answered, secrets),
    keeps,
    // Headers of the integration may be credentials, whatever their names.
    sensitiveHeaders: sensitiveHeaders(call, target.customHeaders),
    quotable: isPacked ? secrets : NONE,
    pricing: target.pricing,
    endsCall: settled.relayed && hasTries(call),
    mcp: null,
  });
}

/** What was taken when the call came, and what the attempts at the target came to. */
function countedBy({ call, limits = null }: Pick<RecordedLeg, 'call' | 'limits'>): string | null {
  if (call.limits === null && limits === null) return null;
  const counted = [...(call.limits?.counted ?? [])];
  if (limits !== null)
    for (let at = 0; at < limits.asks.length; at++) {
      const { limit } = (limits.asks[at] as LimitAsk).counter;
      counted.push([limit.id, limit.unit, limits.amounts[at] ?? 0]);
    }
  return encodeCounted(counted);
}

function refusalIn(error: GatewayError | null): string | null {
  const limit = error?.beside?.limit as LimitRefusal['limit'] | undefined;
  return error && limit ? encodeRefusal({ code: error.entry.code ?? error.code, limit }) : null;
}

const contentOf = ({ content }: OutgoingBody, limit: number): KeptBody | null =>
  Buffer.isBuffer(content) ? kept(content, limit) : null;

function changedRequest(
  { request, body }: Pick<RecordedLeg, 'request' | 'body'>,
  limit: number,
): KeptMessage | null {
  const content = body.changed ? contentOf(body, limit) : null;
  return content && { headers: request.headers, body: content };
}

/** Whether each target has a span of its own, so that the call needs one above them. */
const hasTries = ({ span, trace }: Call): boolean => span !== trace;

/** 101 is the status of a session over WebSocket. */
const isSuccess = (status: number): boolean => status === 101 || (status >= 200 && status < 300);

/** Records a call that the gateway answered by itself: the model catalogue, or why it was refused, and at which target. */
export function recordWithoutProvider(
  { requestLog, maxLoggedBytes }: DataplaneDependencies,
  call: Call,
  status: number,
  reason: GatewayError | null,
): void {
  const elapsed = performance.now() - call.clock.startedAt;
  const { mode, index, path } = call.leaf ?? emptyPlan;
  const record = recordOf(call, call.trace, call.clock.startedAt);
  record.mode = mode;
  record.lastUsedOptionIndex = index;
  record.lastUsedOptionJsonPath = path;
  record.responseStatusCode = status;
  record.isSuccess = status < 300;
  record.responseTime = Math.round(elapsed);
  record.gatewayProcessingTime = Math.round(elapsed - call.clock.atTargets);
  record.clientAborted = call.disconnect.happened;
  record.limits = countedBy({ call });
  record.refusal = refusalIn(reason);
  record.error = reason?.message ?? null;
  requestLog.add({
    record,
    requestHeaders: call.headers,
    requestBody: bodyOf(call, maxLoggedBytes),
    finalUntransformed: null,
    transformed: null,
    response: null,
    original: null,
    keeps: keptParts(call),
    sensitiveHeaders: sensitiveHeaders(call, NO_HEADERS),
    quotable: NONE,
    pricing: null,
    endsCall: hasTries(call),
    mcp: null,
  });
}

/**
 * The record with what is known of any call; what became of it is set by the caller. `startedAt`: when the attempt began,
 * on the clock of `performance.now()`. Members of a blank record are set one by one: an object of this size that grows
 * out of another takes three times the memory.
 */
function recordOf(call: Call, span: Span, startedAt: number): LogRecord {
  const { trace } = call;
  const { principal } = call.key;
  const record = blankRecord();
  record._id = uuid();
  record.organisationId = principal.organisationId;
  record.workspaceId = call.workspaceId;
  record.apiKeyId = principal.id;
  record.userId = principal.userId;
  record.createdAt = new Date(call.clock.createdAt.getTime() + startedAt - call.clock.startedAt);
  record.traceId = trace.traceId;
  record.spanId = span.spanId;
  record.spanName = trace.spanName;
  record.parentSpanId = span.parentSpanId;
  record.callerSpanId = trace.parentSpanId;
  record.requestMethod = call.request.method ?? call.method;
  record.requestUrl = `/v1${call.path}${call.query ? `?${call.query}` : ''}`;
  record.endpoint = call.route.endpoint;
  record.isProxyCall = call.route.endpoint === 'proxy';
  record.source = call.headers['user-agent']?.slice(0, MAX_CLIENT_LENGTH) ?? null;
  record.runtime = clientFact(call, 'x-gateway-runtime');
  record.runtimeVersion = clientFact(call, 'x-gateway-runtime-version');
  record.sdkVersion = clientFact(call, 'x-gateway-package-version');
  record.configId = call.savedConfig?.id ?? null;
  record.configSlug = call.savedConfig?.slug ?? null;
  record.configVersionId = call.savedConfig?.versionId ?? null;
  record.metadata = call.metadata;
  record.routing = takenRouting(call);
  return record;
}

/** The steps that lead to one target are in its record alone. */
function takenRouting(call: Call): string | null {
  if (call.routing.length === 0) return null;
  const text = encodeRouting(call.routing);
  call.routing = [];
  return text;
}

const clientFact = (call: Call, header: string): string | null =>
  headerOf(call.headers, header)?.slice(0, MAX_CLIENT_LENGTH) ?? null;

const bodyOf = ({ body }: Call, limit: number): KeptBody | null =>
  body.kind === 'json' || body.kind === 'bytes' ? kept(body.bytes, limit) : null;

/** Texts that a provider may quote. Only of an error they include what was made of the credential: finding them takes time. */
const quotable = ({ request, target, tap }: RecordedLeg, status: number): string[] =>
  status >= 400 ? sentSecretsOf(target, tap?.asked?.headers ?? request.headers) : secretsOf(target);

/** Lower-case names: those that the caller lists, and those of the integration. */
function sensitiveHeaders(call: Call, customHeaders: Target['customHeaders']): string[] {
  const names = Object.keys(customHeaders);
  const listed = headerOf(call.headers, 'x-gateway-sensitive-headers');
  if (listed) names.push(...listed.split(','));
  return names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
}

/** Why the call ended: what went wrong with its last attempt and, where that was so, that no attempts were left. */
function withTries({ tries }: Call, failure: string | null): string | null {
  if (!tries.endedCall) return failure;
  const ending = `The call ended with its ${MAX_TRIES} attempts: its config would have had more.`;
  return failure === null ? ending : `${failure} ${ending}`;
}

function failureText(
  { failure, cause, defect, status }: AttemptResult,
  clientAborted: boolean,
): string | null {
  if (failure === null) return clientAborted ? 'The caller hung up before the next attempt.' : defect;
  const when = status === 0 ? 'before it answered' : 'in the middle of its answer';
  if (failure === 'timeout') return 'The provider did not answer within the request timeout.';
  if (failure === 'aborted')
    return `The caller hung up ${status === 0 ? 'before the provider answered' : 'in the middle of the answer'}.`;
  return `The connection to the provider failed ${when}: ${cause?.message ?? 'no reason given'}`;
}
