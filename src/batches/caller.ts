import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../lib/http/headers.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { BatchDocument } from './batch.ts';

/** The headers of the call of a line: those of the batch's caller, and what tells logs which line it is. */
export function callHeaders(secrets: Secrets, batch: BatchDocument, customId: string): IncomingHttpHeaders {
  if (batch.sealedCaller === undefined) throw new Error('A batch that has ended makes no call.');
  const headers = JSON.parse(secrets.decrypt(batch.sealedCaller, batch._id)) as IncomingHttpHeaders;
  const labels = {
    ...labelsIn(headerOf(headers, 'x-gateway-metadata')),
    _batch: batch._id,
    _custom_id: customId.slice(0, 128),
  };
  return { ...headers, 'x-gateway-trace-id': batch.traceId, 'x-gateway-metadata': JSON.stringify(labels) };
}

function labelsIn(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // As in any call: metadata that cannot be parsed counts as none.
    return {};
  }
}
