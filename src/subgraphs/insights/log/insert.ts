import { type Principal, requireScope } from '../../../auth/index.ts';
import { requestMetadata } from '../../../auth/labels.ts';
import { GatewayError } from '../../../errors/index.ts';
import { redactHeaders } from '../../../lib/http/redact-headers.ts';
import { uuid } from '../../../lib/ids.ts';
import { isObject } from '../../../lib/json.ts';
import { redactText } from '../../../lib/redaction.ts';
import { recordOf } from '../../../recording/log/blank-record.ts';
import { BodyPacks } from '../../../recording/log/body-packs.ts';
import type { LogEntry, LogMessage } from '../../../recording/log/record.ts';
import { logEvents } from '../../../recording/log/write-logs.ts';
import { type Bill, billFor } from '../../../recording/pricing/index.ts';
import { answeredModel, findUsage, type TokenUsage } from '../../../recording/usage/index.ts';
import type { GraphContext } from '../../context.ts';
import { type InsertedLog, parseInserted } from './parse-inserted.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Stores logs of requests that went past this gateway; answers how many. All are checked before the first is stored. */
export async function insertLogs(context: GraphContext, input: unknown): Promise<number> {
  const principal = requireScope(context.principal, ['logs.write']);
  requireScope(principal, ['completions.write']);
  const { workspaceId } = principal;
  if (workspaceId === null) {
    throw new GatewayError('FORBIDDEN', { message: 'Logs are inserted with a workspace credential.' });
  }
  const now = context.now();
  const packs = new BodyPacks();
  const entries: LogEntry[] = [];
  for (const log of parseInserted(input)) {
    const measured = { ...log, measures: await measure(log, now) };
    entries.push(toEntry(measured, { ...principal, workspaceId }, now, context.requestLogs, packs));
  }
  await context.logs.write(entries);
  await context.logs.settle();
  logEvents(entries).forEach(context.events.append);
  return entries.length;
}

type Measures = TokenUsage & Bill;

/** What a call used and what it costs at the catalogue's prices. */
async function measure({ request, response }: InsertedLog, at: Date): Promise<Measures> {
  const { body, streamed } = response;
  const answer = { text: textOf(body), isStream: streamed && typeof body === 'string' };
  const usage = findUsage(answer);
  const bill = await billFor({
    wasCalled: true,
    provider: request.provider,
    model: askedModel(request),
    answeredModel: () => answeredModel(answer),
    at,
    method: request.method,
    status: response.status,
    cacheStatus: 'DISABLED',
    usage,
    images: null,
    own: null,
  });
  return { ...usage.counts, ...bill };
}

function askedModel({ body }: InsertedLog['request']): string | null {
  const model = isObject(body) ? body.model : undefined;
  return typeof model === 'string' ? model.slice(0, 255) : null;
}

/** A text is the body as it was, e.g. that of a stream. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function toEntry(
  { request, response, metadata, measures }: InsertedLog & { measures: Measures },
  principal: Principal & { workspaceId: string },
  createdAt: Date,
  { retentionDays, bodyRetentionDays, maxBodyBytes }: GraphContext['requestLogs'],
  packs: BodyPacks,
): LogEntry {
  const after = (days: number) => new Date(createdAt.getTime() + days * DAY);
  const { trace_id, span_id, span_name, parent_span_id, ...asked } = metadata;
  const { organisationId, workspaceId } = principal;
  const _id = uuid();
  const requestBody = textOf(request.body);
  const responseBody = textOf(response.body);
  const user = isObject(request.body) ? request.body.user : undefined;
  return {
    record: recordOf({
      _id,
      organisationId,
      workspaceId,
      createdAt,
      expiresAt: after(retentionDays),
      traceId: trace_id ?? _id,
      apiKeyId: principal.id,
      userId: principal.userId,
      spanId: span_id ?? _id,
      spanName: span_name ?? null,
      parentSpanId: parent_span_id ?? null,
      callerSpanId: parent_span_id ?? null,
      requestMethod: request.method,
      requestUrl: redactText(request.url),
      endpoint: 'proxy',
      source: 'inserted',
      aiProvider: request.provider,
      aiModel: askedModel(request),
      responseStatusCode: response.status,
      isSuccess: response.status >= 200 && response.status < 300,
      streamMode: response.streamed ? 1 : 0,
      responseTime: response.responseTime,
      upstreamResponseTime: response.responseTime,
      ...measures,
      metadata: requestMetadata(user, asked, principal),
      bodiesId: packs.idFor({ _id, workspaceId }, requestBody.length + responseBody.length),
    }),
    bodies: {
      expiresAt: after(bodyRetentionDays),
      request: message(request.headers, requestBody, maxBodyBytes),
      transformedRequest: null,
      response: message(response.headers, responseBody, maxBodyBytes),
    },
  };
}

const message = (headers: Record<string, string>, body: string, limit: number): LogMessage => ({
  headers: redactHeaders(headers),
  body: redactText(body.slice(0, limit)),
  truncated: body.length > limit,
});
