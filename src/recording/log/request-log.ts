import { LRUCache } from 'lru-cache';
import type { Logger } from '../../lib/logger.ts';
import {
  isSecretName,
  REDACTED,
  redact,
  redactJsonText,
  redactQuery,
  redactText,
} from '../../lib/redaction.ts';
import { splitUrl } from '../../lib/request-url.ts';
import { modelInPath } from '../../providers/native-api.ts';
import { billedImages } from '../pricing/billed-images.ts';
import { type Bill, billFor, makesSomething, type OwnPricing } from '../pricing/index.ts';
import { createQueue, type ImpatientQueue, type Queue } from '../queue/queue.ts';
import type { Spool } from '../queue/spool.ts';
import { answeredModel, answerText, findUsage, noUsage, type TokenUsage } from '../usage/index.ts';
import type { CapturedAnswer } from './answers/capture.ts';
import { plainAnswers } from './answers/plain-answers.ts';
import { BodyPacks } from './body-packs.ts';
import type { LogBodies, LogEntry, LogMessage, LogRecord } from './record.ts';

/** What the log works out by itself, away from the request. */
type Derived = keyof TokenUsage | keyof Bill | 'expiresAt' | 'bodiesId' | 'batchId';

type Headers = Record<string, string | string[] | undefined>;

/** The beginning of a body of `size` bytes. */
export type KeptBody = { bytes: Buffer; size: number };

export type KeptMessage = { headers: Headers; body: KeptBody };

/** The headers and bodies that are stored (spec/data-plane.md, section 8.1). */
export type KeptParts = 'all' | 'failed answers' | 'none';

/** One exchange as the data plane leaves it behind: JSON values and bytes only, since another thread takes it over. */
export type ExchangeDraft = {
  record: Omit<LogRecord, Derived>;
  requestHeaders: Headers;
  requestBody: KeptBody | null;
  /** The body in the caller's format, after the config's parameters, where the provider was asked in another format. */
  finalUntransformed: KeptBody | null;
  /** What went to the provider, when it differs from what the caller sent. */
  transformed: KeptMessage | null;
  response: CapturedAnswer | null;
  /** What the provider answered, where it was asked in another format. */
  original: KeptMessage | null;
  keeps: KeptParts;
  /** Lower-case names of further headers to mask. */
  sensitiveHeaders: string[];
  /** Secrets that may stand in an answer which is still compressed. */
  quotable: readonly string[];
  /** Null for the usual prices. */
  pricing: OwnPricing;
  /** The last of a call whose tries have spans of their own: after it the call itself has its span. */
  endsCall: boolean;
};

/** A record as it was made, before it is stored. */
export type Observed = { record: LogRecord; endsCall: boolean };

/** The first `limit` bytes of a body. */
export const kept = (bytes: Buffer, limit: number): KeptBody => ({
  bytes: bytes.length > limit ? bytes.subarray(0, limit) : bytes,
  size: bytes.length,
});

export type RequestLog = Queue<ExchangeDraft>;

export type RequestLogOptions = {
  /** Lower-case names. */
  maskedHeaders: string[];
  bodies: 'full' | 'none';
  maxBodyBytes: number;
  retentionDays: number;
  bodyRetentionDays: number;
  /** Sees every record once, when it is made. */
  observe: (made: Observed[]) => void;
  write: (entries: LogEntry[]) => Promise<void>;
  spool: Spool<LogEntry>;
  /** Whether the log of this id also stands in a file that stays. */
  isElsewhere: (id: string) => boolean;
  log: Logger;
};

const DAY = 24 * 60 * 60 * 1000;

/** The record of every data-plane request, written in batches behind the requests. */
export function createRequestLog(options: RequestLogOptions): ImpatientQueue<ExchangeDraft> {
  const { maskedHeaders, bodies, maxBodyBytes, retentionDays, bodyRetentionDays } = options;
  const { observe, write, spool, isElsewhere, log } = options;
  const after = (date: Date, days: number) => new Date(date.getTime() + days * DAY);

  function toEntry(draft: ExchangeDraft, measures: Measures, packs: BodyPacks): LogEntry {
    const { record } = draft;
    const keeps =
      bodies === 'full' && (draft.keeps === 'all' || (draft.keeps === 'failed answers' && !record.isSuccess));
    return {
      record: {
        ...indexedFirst(record, after(record.createdAt, retentionDays)),
        ...measures,
        bodiesId: keeps ? packs.idFor(record.workspaceId, sizeOf(draft, maxBodyBytes)) : null,
        batchId: null,
      },
      bodies: keeps
        ? {
            expiresAt: after(record.createdAt, bodyRetentionDays),
            ...messagesOf(draft, maxBodyBytes, maskedHeaders),
          }
        : null,
    };
  }

  async function prepare(drafts: ExchangeDraft[]): Promise<LogEntry[]> {
    const packs = new BodyPacks();
    const entries: LogEntry[] = [];
    const made: Observed[] = [];
    for (const packed of drafts) {
      const draft = { ...packed, ...(await plainAnswers(packed)) };
      draft.record.aiModel = modelInPath(draft.record.requestUrl) ?? draft.record.aiModel;
      const entry = toEntry(draft, await measure(draft), packs);
      entries.push(entry);
      made.push({ record: entry.record, endsCall: draft.endsCall });
    }
    observe(made);
    return entries;
  }

  return createQueue<ExchangeDraft, LogEntry>({
    name: 'request-log',
    ...{ prepare, write, spool, log },
    isElsewhere: ({ record }) => isElsewhere(record._id),
  });
}

type Measures = TokenUsage & Bill;

/** The body in the caller's format, after the config's parameters. */
const askedBody = ({ finalUntransformed, transformed, requestBody }: ExchangeDraft): KeptBody | null =>
  finalUntransformed ?? transformed?.body ?? requestBody;

/** What a call used and what it costs. */
async function measure(draft: ExchangeDraft): Promise<Measures> {
  const { record, response, pricing } = draft;
  const answer = answerText(response);
  const isUse = makesSomething(record.requestMethod, record.responseStatusCode);
  const usage = answer && isUse ? findUsage(answer) : noUsage;
  const bill = await billFor({
    wasCalled: record.aiProvider !== null,
    provider: record.aiProvider,
    model: record.aiModel,
    answeredModel: () => answer && answeredModel(answer),
    at: record.createdAt,
    method: record.requestMethod,
    status: record.responseStatusCode,
    cacheStatus: record.cacheStatus,
    usage,
    images: usage.counts.tokenClasses ? null : billedImages(record, askedBody(draft)),
    own: pricing,
  });
  return { ...usage.counts, ...bill };
}

/** The members that the store indexes come first: it reads a document no further than it has to. */
function indexedFirst(record: ExchangeDraft['record'], expiresAt: Date) {
  const { _id, organisationId, workspaceId, createdAt, traceId } = record;
  return { ...{ _id, organisationId, workspaceId, createdAt, expiresAt, traceId }, ...safeRecord(record) };
}

/** A secret may stand wherever a caller may write. */
const safeRecord = (record: ExchangeDraft['record']): ExchangeDraft['record'] => ({
  ...record,
  requestUrl: safeUrl(record.requestUrl),
  traceId: redactText(record.traceId),
  spanId: redactText(record.spanId),
  spanName: record.spanName && redactText(record.spanName),
  parentSpanId: record.parentSpanId && redactText(record.parentSpanId),
  callerSpanId: record.callerSpanId && redactText(record.callerSpanId),
  source: record.source && redactText(record.source),
  runtime: record.runtime && redactText(record.runtime),
  runtimeVersion: record.runtimeVersion && redactText(record.runtimeVersion),
  sdkVersion: record.sdkVersion && redactText(record.sdkVersion),
  aiModel: record.aiModel && redactText(record.aiModel),
  metadata: safeLabels(record.metadata),
  error: record.error && redactText(record.error),
});

function safeLabels(labels: Record<string, string>): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name in labels) safe[redactText(name)] = redactText(labels[name] ?? '');
  return safe;
}

/** About what headers and bodies take in the store. */
const sizeOf = (
  { requestHeaders, requestBody, finalUntransformed, transformed, response, original }: ExchangeDraft,
  limit: number,
): number =>
  headersSize(requestHeaders) +
  headersSize(transformed?.headers ?? {}) +
  headersSize(response?.headers ?? {}) +
  headersSize(original?.headers ?? {}) +
  Math.min(limit, requestBody?.size ?? 0) +
  Math.min(limit, finalUntransformed?.size ?? 0) +
  Math.min(limit, transformed?.body.size ?? 0) +
  Math.min(limit, response?.size ?? 0) +
  Math.min(limit, original?.body.size ?? 0);

function headersSize(headers: Headers): number {
  let size = 0;
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  return size;
}

function messagesOf(draft: ExchangeDraft, limit: number, masked: string[]): Omit<LogBodies, 'expiresAt'> {
  const { requestHeaders, requestBody, transformed, response, original } = draft;
  const sensitiveHeaders = [...draft.sensitiveHeaders, ...masked];
  const requestType = typeOf(requestHeaders);
  const message = (
    headers: Headers,
    body: KeptBody | null,
    contentType: string,
    redactBody: (text: string) => string,
  ): LogMessage => {
    const isText = body !== null && body.size > 0 && textTypes.test(contentType);
    return {
      headers: safeHeaders(headers, sensitiveHeaders),
      body: isText ? redactBody(body.bytes.toString('utf8', 0, limit)) : null,
      truncated: isText && body.size > limit,
    };
  };
  const asked = (headers: Headers, body: KeptBody | null) => {
    const type = typeOf(headers) || requestType;
    return message(headers, body, type, redactionFor(type));
  };
  const answered = (headers: Headers, body: KeptBody) => message(headers, body, typeOf(headers), redactText);
  const answers = {
    response: response
      ? answered(response.headers, { bytes: response.head, size: response.size })
      : NO_MESSAGE,
    originalResponse: original ? answered(original.headers, original.body) : undefined,
  };
  if (draft.keeps !== 'all') return { request: NO_MESSAGE, transformedRequest: null, ...answers };
  const finalUntransformed = changedBody(draft);
  return {
    request: asked(requestHeaders, requestBody),
    finalUntransformedRequest: finalUntransformed ? asked({}, finalUntransformed) : undefined,
    transformedRequest: transformed && asked(transformed.headers, transformed.body),
    ...answers,
  };
}

const typeOf = (headers: Headers): string => String(headers['content-type'] ?? '');

/** What the caller's request became before it was translated; null where it stayed as it was. */
function changedBody({ requestBody, finalUntransformed }: ExchangeDraft): KeptBody | null {
  const isSame =
    requestBody?.size === finalUntransformed?.size &&
    requestBody?.bytes.equals(finalUntransformed?.bytes ?? NOTHING);
  return isSame ? null : finalUntransformed;
}

const NOTHING = Buffer.alloc(0);
const NO_MESSAGE: LogMessage = { headers: {}, body: null, truncated: false };

/** What callers send may carry a secret under a name of its own; what models answer is full of `token` members that are none. */
function redactionFor(contentType: string): (text: string) => string {
  if (/json/i.test(contentType)) return redactJsonText;
  return /urlencoded/i.test(contentType) ? redactQuery : redactText;
}

const textTypes = /json|text|xml|javascript|urlencoded|event-stream/i;

function safeHeaders(headers: Headers, sensitive: string[]): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const hidden = isSecretName(name) || sensitive.includes(name);
    safe[name] = hidden
      ? REDACTED
      : name === 'x-gateway-config'
        ? redactConfig(String(value))
        : redactText(String(value));
  }
  return safe;
}

const safeConfigs = new LRUCache<string, string>({ max: 200 });

/** An inline config may carry provider keys; a saved one is only a slug. What is neither is not kept. */
function redactConfig(value: string): string {
  if (!/^\s*[{[]/.test(value)) return redactText(value);
  let safe = safeConfigs.get(value);
  if (safe === undefined) {
    safe = redactJson(value);
    safeConfigs.set(value, safe);
  }
  return safe;
}

function redactJson(text: string): string {
  try {
    return JSON.stringify(redact(JSON.parse(text)));
  } catch {
    // Not JSON: the caller was told, and secrets in it cannot be told from the rest.
    return REDACTED;
  }
}

function safeUrl(url: string): string {
  const { path, query } = splitUrl(url);
  return redactText(path) + (query && `?${redactQuery(query)}`);
}
