import type { ExchangeDraft, KeptBody } from '../request-log.ts';
import { applyDifferences, type Differences, differencesOf } from './differences.ts';

/** Drafts in the form that crosses to another thread or to disk. */
export type Chunk = { bytes: Uint8Array; drafts: number };

/**
 * Some hundred drafts of short calls: handing them over holds the requests up for a moment, so it shall not happen often. A
 * draft that is larger gets a buffer of its own.
 */
const BUFFER_BYTES = 1024 * 1024;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const WIDEST = 3;
const LENGTH_BYTES = 4;

const NOTHING: readonly unknown[] = [];

/**
 * Writes drafts into one buffer as they come: of each the length of a JSON text, the text, which says what differs from the
 * draft before (see `valuesOf`), and the bytes of its bodies one after the other. Against a structured clone of the drafts,
 * nothing of them stays on the heap.
 */
export class DraftBuffer {
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  readonly #onFull: (chunk: Chunk) => void;
  #used = 0;
  /** Of the last draft in the buffer. */
  #values = NOTHING;
  drafts = 0;

  /** `onFull` gets what is in the buffer when the next draft does not fit. */
  constructor(onFull: (chunk: Chunk) => void) {
    this.#onFull = onFull;
  }

  add(draft: ExchangeDraft): void {
    const values = valuesOf(draft);
    const bodies = bodiesOf(draft);
    if (this.#addNext(values, bodies)) return;
    this.flush();
    if (!this.#addNext(values, bodies)) this.#onFull(chunkOfOne(values, bodies));
  }

  /** False, and nothing happened, where there is no room. */
  #addNext(values: Values, bodies: readonly Buffer[]): boolean {
    const json = JSON.stringify(differencesOf(values, this.#values));
    if (this.#used + roomFor(json, bodies) > BUFFER_BYTES) return false;
    this.#used = write(this.#buffer, this.#used, json, bodies);
    this.#values = values;
    this.drafts++;
    return true;
  }

  flush(): void {
    if (this.drafts === 0) return;
    const chunk = {
      bytes: Uint8Array.prototype.slice.call(this.#buffer, 0, this.#used),
      drafts: this.drafts,
    };
    this.#used = 0;
    this.#values = NOTHING;
    this.drafts = 0;
    this.#onFull(chunk);
  }
}

function roomFor(json: string, bodies: readonly Buffer[]): number {
  let room = LENGTH_BYTES + json.length * WIDEST;
  for (const body of bodies) room += body.length;
  return room;
}

function chunkOfOne(values: Values, bodies: readonly Buffer[]): Chunk {
  const json = JSON.stringify(differencesOf(values, NOTHING));
  const buffer = Buffer.allocUnsafeSlow(roomFor(json, bodies));
  return { bytes: buffer.subarray(0, write(buffer, 0, json, bodies)), drafts: 1 };
}

/** Answers where it ended. */
function write(buffer: Buffer, start: number, json: string, bodies: readonly Buffer[]): number {
  const length = buffer.write(json, start + LENGTH_BYTES, 'utf8');
  let end = buffer.writeUInt32LE(length, start) + length;
  for (const body of bodies) {
    body.copy(buffer, end);
    end += body.length;
  }
  return end;
}

/** The bodies are views of `bytes`. */
export function decodeDrafts(bytes: Uint8Array): ExchangeDraft[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const drafts: ExchangeDraft[] = [];
  const values: unknown[] = [];
  let at = 0;
  const take = (length: number) => {
    at += length;
    return buffer.subarray(at - length, at);
  };
  while (at < buffer.length) {
    const length = take(LENGTH_BYTES).readUInt32LE();
    applyDifferences(values, JSON.parse(take(length).toString('utf8')) as Differences);
    drafts.push(draftOf(values as unknown as Values, take));
  }
  return drafts;
}

type Take = (length: number) => Buffer;
type Values = ReturnType<typeof valuesOf>;

function bodiesOf({ requestBody, transformed, response }: ExchangeDraft): Buffer[] {
  const bodies: Buffer[] = [];
  if (requestBody) bodies.push(requestBody.bytes);
  if (transformed) bodies.push(transformed.body.bytes);
  if (response) bodies.push(response.head, response.tail);
  return bodies;
}

/** In a fixed order and without names; of a body the length of its bytes and its size. `draftOf` reads the same order. */
const valuesOf = ({
  record,
  requestHeaders,
  requestBody,
  transformed,
  response,
  keepBodies,
  sensitiveHeaders,
  pricing,
}: ExchangeDraft) =>
  [
    record._id,
    record.organisationId,
    record.workspaceId,
    record.apiKeyId,
    record.userId,
    record.createdAt.getTime(),
    record.traceId,
    record.spanId,
    record.spanName,
    record.parentSpanId,
    record.callerSpanId,
    record.requestMethod,
    record.requestUrl,
    record.endpoint,
    record.isProxyCall,
    record.source,
    record.runtime,
    record.runtimeVersion,
    record.sdkVersion,
    record.aiProvider,
    record.aiModel,
    record.providerId,
    record.providerSlug,
    record.integrationId,
    record.configId,
    record.configSlug,
    record.configVersionId,
    record.mode,
    record.lastUsedOptionIndex,
    record.lastUsedOptionJsonPath,
    record.retryAttemptCount,
    record.responseStatusCode,
    record.isSuccess,
    record.streamMode,
    record.responseTime,
    record.timeToFirstToken,
    record.upstreamResponseTime,
    record.gatewayProcessingTime,
    record.cacheStatus,
    record.cacheMode,
    record.metadata,
    record.clientAborted,
    record.error,
    requestHeaders,
    requestBody?.bytes.length ?? null,
    requestBody?.size ?? null,
    transformed?.headers ?? null,
    transformed?.body.bytes.length ?? null,
    transformed?.body.size ?? null,
    response?.headers ?? null,
    response?.size ?? null,
    response?.head.length ?? null,
    response?.tail.length ?? null,
    response?.isComplete ?? null,
    keepBodies,
    // Names of headers have no line breaks.
    sensitiveHeaders.join('\n'),
    pricing,
  ] as const;

function draftOf(values: Values, take: Take): ExchangeDraft {
  const [
    _id,
    organisationId,
    workspaceId,
    apiKeyId,
    userId,
    createdAt,
    traceId,
    spanId,
    spanName,
    parentSpanId,
    callerSpanId,
    requestMethod,
    requestUrl,
    endpoint,
    isProxyCall,
    source,
    runtime,
    runtimeVersion,
    sdkVersion,
    aiProvider,
    aiModel,
    providerId,
    providerSlug,
    integrationId,
    configId,
    configSlug,
    configVersionId,
    mode,
    lastUsedOptionIndex,
    lastUsedOptionJsonPath,
    retryAttemptCount,
    responseStatusCode,
    isSuccess,
    streamMode,
    responseTime,
    timeToFirstToken,
    upstreamResponseTime,
    gatewayProcessingTime,
    cacheStatus,
    cacheMode,
    metadata,
    clientAborted,
    error,
    requestHeaders,
    requestBytes,
    requestSize,
    transformedHeaders,
    transformedBytes,
    transformedSize,
    responseHeaders,
    responseSize,
    responseHead,
    responseTail,
    isComplete,
    keepBodies,
    sensitiveHeaders,
    pricing,
  ] = values;
  const body = (length: number | null, size: number | null): KeptBody | null =>
    length === null || size === null ? null : { bytes: take(length), size };
  // In the order of `bodiesOf`.
  const requestBody = body(requestBytes, requestSize);
  const transformedBody = body(transformedBytes, transformedSize);
  return {
    record: {
      _id,
      organisationId,
      workspaceId,
      apiKeyId,
      userId,
      createdAt: new Date(createdAt),
      traceId,
      spanId,
      spanName,
      parentSpanId,
      callerSpanId,
      requestMethod,
      requestUrl,
      endpoint,
      isProxyCall,
      source,
      runtime,
      runtimeVersion,
      sdkVersion,
      aiProvider,
      aiModel,
      providerId,
      providerSlug,
      integrationId,
      configId,
      configSlug,
      configVersionId,
      mode,
      lastUsedOptionIndex,
      lastUsedOptionJsonPath,
      retryAttemptCount,
      responseStatusCode,
      isSuccess,
      streamMode,
      responseTime,
      timeToFirstToken,
      upstreamResponseTime,
      gatewayProcessingTime,
      cacheStatus,
      cacheMode,
      metadata,
      clientAborted,
      error,
    },
    requestHeaders,
    requestBody,
    transformed: transformedHeaders &&
      transformedBody && { headers: transformedHeaders, body: transformedBody },
    response: responseHeaders && {
      headers: responseHeaders,
      size: responseSize ?? 0,
      head: take(responseHead ?? 0),
      tail: take(responseTail ?? 0),
      isComplete: isComplete === true,
    },
    keepBodies,
    sensitiveHeaders: sensitiveHeaders === '' ? [] : sensitiveHeaders.split('\n'),
    pricing,
  };
}
