import type { ExchangeDraft, KeptBody, KeptMessage } from '../draft.ts';
import { encodeMcpFacts } from '../mcp.ts';
import type { PARTS } from './columns.ts';
import { addDifferences, type Differences } from './differences.ts';
import { RECORD_COLUMNS, recordOfValues, valuesOfRecord } from './record-values.ts';

type Take = (length: number) => Buffer;

/** A draft without names: the values of its record and its other parts. */
export type Values = { record: readonly unknown[]; parts: readonly unknown[] };

export const NO_VALUES: Values = { record: [], parts: [] };

export const valuesOf = (draft: ExchangeDraft): Values => ({
  record: valuesOfRecord(draft.record),
  parts: partsOf(draft),
});

/** What differs from the draft before: the values of the record come first. */
export function draftDifferences(values: Values, before: Values): Differences {
  const differences: Differences = [];
  addDifferences(differences, 0, values.record, before.record);
  addDifferences(differences, RECORD_COLUMNS.length, values.parts, before.parts);
  return differences;
}

/** The bytes that `partsOf` tells the lengths of. */
export function bodiesOf({
  requestBody,
  finalUntransformed,
  transformed,
  response,
  original,
}: ExchangeDraft): Buffer[] {
  const bodies: Buffer[] = [];
  if (requestBody) bodies.push(requestBody.bytes);
  if (finalUntransformed) bodies.push(finalUntransformed.bytes);
  if (transformed) bodies.push(transformed.body.bytes);
  if (response) bodies.push(response.head, response.tail);
  if (original) bodies.push(original.body.bytes);
  return bodies;
}

/** In a fixed order; of a body the length of its bytes and its size. */
const partsOf = ({
  requestHeaders,
  requestBody,
  finalUntransformed,
  transformed,
  response,
  original,
  keeps,
  sensitiveHeaders,
  quotable,
  pricing,
  endsCall,
  mcp,
}: ExchangeDraft) =>
  [
    requestHeaders,
    requestBody?.bytes.length ?? null,
    requestBody?.size ?? null,
    finalUntransformed?.bytes.length ?? null,
    finalUntransformed?.size ?? null,
    transformed?.headers ?? null,
    transformed?.body.bytes.length ?? null,
    transformed?.body.size ?? null,
    response?.headers ?? null,
    response?.size ?? null,
    response?.head.length ?? null,
    response?.tail.length ?? null,
    response?.isComplete ?? null,
    original?.headers ?? null,
    original?.body.bytes.length ?? null,
    original?.body.size ?? null,
    keeps,
    // Names of headers have no line breaks.
    sensitiveHeaders.join('\n'),
    quotable.length === 0 ? '' : JSON.stringify(quotable),
    pricing,
    endsCall,
    mcp,
  ] as const satisfies { length: (typeof PARTS)['length'] };

/** The draft of the values in one list; `take` gives the next bytes of the bodies. */
export function draftOf(values: readonly unknown[], take: Take): ExchangeDraft {
  const [
    requestHeaders,
    requestBytes,
    requestSize,
    finalBytes,
    finalSize,
    transformedHeaders,
    transformedBytes,
    transformedSize,
    responseHeaders,
    responseSize,
    responseHead,
    responseTail,
    isComplete,
    originalHeaders,
    originalBytes,
    originalSize,
    keeps,
    sensitiveHeaders,
    quotable,
    pricing,
    endsCall,
    mcp,
  ] = values.slice(RECORD_COLUMNS.length) as unknown as ReturnType<typeof partsOf>;
  const body = (length: number | null, size: number | null): KeptBody | null =>
    length === null || size === null ? null : { bytes: take(length), size };
  const message = (headers: KeptMessage['headers'] | null, of: KeptBody | null): KeptMessage | null =>
    headers && of && { headers, body: of };
  const record = recordOfValues(values);
  if (mcp) record.mcp = encodeMcpFacts(mcp);
  return {
    record,
    requestHeaders,
    // In the order of `bodiesOf`.
    requestBody: body(requestBytes, requestSize),
    finalUntransformed: body(finalBytes, finalSize),
    transformed: message(transformedHeaders, body(transformedBytes, transformedSize)),
    response: responseHeaders && {
      headers: responseHeaders,
      size: responseSize ?? 0,
      head: take(responseHead ?? 0),
      tail: take(responseTail ?? 0),
      isComplete: isComplete === true,
    },
    original: message(originalHeaders, body(originalBytes, originalSize)),
    keeps,
    sensitiveHeaders: sensitiveHeaders === '' ? [] : sensitiveHeaders.split('\n'),
    quotable: quotable === '' ? [] : (JSON.parse(quotable) as string[]),
    pricing,
    endsCall,
    mcp,
  };
}
