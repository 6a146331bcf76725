import type { CapturedAnswer } from '../capture.ts';
import type { ExchangeDraft, KeptBody } from '../request-log.ts';

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

/**
 * Writes drafts into one buffer as they come: of each the length of a JSON array, the array (see `valuesOf`), and the bytes
 * of its bodies one after the other. Against a structured clone of the drafts, nothing of them stays on the heap.
 */
export class DraftBuffer {
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  readonly #onFull: (chunk: Chunk) => void;
  #used = 0;
  drafts = 0;

  /** `onFull` gets what is in the buffer when the next draft does not fit. */
  constructor(onFull: (chunk: Chunk) => void) {
    this.#onFull = onFull;
  }

  add(draft: ExchangeDraft): void {
    const json = JSON.stringify(valuesOf(draft));
    const bodies = bodiesOf(draft);
    let needed = LENGTH_BYTES + json.length * WIDEST;
    for (const body of bodies) needed += body.length;
    if (this.#used + needed > BUFFER_BYTES) this.flush();
    if (needed > BUFFER_BYTES) {
      const buffer = Buffer.allocUnsafeSlow(needed);
      this.#onFull({ bytes: buffer.subarray(0, write(buffer, 0, json, bodies)), drafts: 1 });
      return;
    }
    this.#used = write(this.#buffer, this.#used, json, bodies);
    this.drafts++;
  }

  flush(): void {
    if (this.drafts === 0) return;
    const chunk = {
      bytes: Uint8Array.prototype.slice.call(this.#buffer, 0, this.#used),
      drafts: this.drafts,
    };
    this.#used = 0;
    this.drafts = 0;
    this.#onFull(chunk);
  }
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
  let at = 0;
  const take = (length: number) => {
    at += length;
    return buffer.subarray(at - length, at);
  };
  while (at < buffer.length) {
    const length = take(LENGTH_BYTES).readUInt32LE();
    drafts.push(draftOf(JSON.parse(take(length).toString('utf8')) as Values, take));
  }
  return drafts;
}

type Take = (length: number) => Buffer;
type Values = ReturnType<typeof valuesOf>;

/** What stands for a body in the array: the length of its bytes behind the array, and its size. */
const lengthsOf = ({ bytes, size }: KeptBody) => [bytes.length, size] as const;

function bodiesOf({ requestBody, transformed, response }: ExchangeDraft): Buffer[] {
  const bodies: Buffer[] = [];
  if (requestBody) bodies.push(requestBody.bytes);
  if (transformed) bodies.push(transformed.body.bytes);
  if (response) bodies.push(response.head, response.tail);
  return bodies;
}

/** In a fixed order and without names, which would be half of the text. `draftOf` reads the same order. */
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
    requestBody && lengthsOf(requestBody),
    transformed && ([transformed.headers, lengthsOf(transformed.body)] as const),
    response &&
      ([
        response.headers,
        response.size,
        response.head.length,
        response.tail.length,
        response.isComplete,
      ] as const),
    keepBodies,
    sensitiveHeaders,
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
    requestBody,
    transformed,
    response,
    keepBodies,
    sensitiveHeaders,
    pricing,
  ] = values;
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
    requestBody: requestBody && bodyOf(requestBody, take),
    transformed: transformed && { headers: transformed[0], body: bodyOf(transformed[1], take) },
    response: response && answerOf(response, take),
    keepBodies,
    sensitiveHeaders,
    pricing,
  };
}

const bodyOf = ([kept, size]: readonly [number, number], take: Take): KeptBody => ({
  bytes: take(kept),
  size,
});

const answerOf = (
  [headers, size, head, tail, isComplete]: readonly [
    CapturedAnswer['headers'],
    number,
    number,
    number,
    boolean,
  ],
  take: Take,
): CapturedAnswer => ({ headers, size, head: take(head), tail: take(tail), isComplete });
