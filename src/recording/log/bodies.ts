import { redactHeaders } from '../../lib/http/redact-headers.ts';
import { redactJsonText, redactQuery, redactText } from '../../lib/redaction.ts';
import type { ExchangeDraft, Headers, KeptBody } from './draft.ts';
import type { LogBodies, LogMessage } from './record.ts';

/** Of a body, as far as its size counts. */
const COUNTED_BYTES = 64 * 1024;

/** About what headers and bodies take in the store. Follows from the draft alone, whatever the settings are: see `BodyPacks`. */
export const sizeOf = (draft: ExchangeDraft): number =>
  headersSize(draft.requestHeaders) +
  headersSize(draft.transformed?.headers ?? {}) +
  headersSize(draft.response?.headers ?? {}) +
  headersSize(draft.original?.headers ?? {}) +
  bodySize(draft.requestBody) +
  bodySize(draft.finalUntransformed) +
  bodySize(draft.transformed?.body) +
  bodySize(draft.response) +
  bodySize(draft.original?.body);

const bodySize = (body: { size: number } | null | undefined): number =>
  Math.min(COUNTED_BYTES, body?.size ?? 0);

function headersSize(headers: Headers): number {
  let size = 0;
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  return size;
}

/** The headers and bodies of a draft as they are stored: texts of at most `limit` bytes, without secrets. */
export function messagesOf(
  draft: ExchangeDraft,
  limit: number,
  masked: string[],
): Omit<LogBodies, 'expiresAt'> {
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
      headers: redactHeaders(headers, sensitiveHeaders),
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
