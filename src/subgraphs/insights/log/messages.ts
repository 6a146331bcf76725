import { isNestedDeeperThan } from '../../../lib/storable.ts';
import type { LogMessage, LogRecord } from '../../../recording/log/record.ts';
import type { GraphContext } from '../../context.ts';
import { logBodiesByRecord, type Messages } from './loaders.ts';
import { wholeMilliseconds } from './milliseconds.ts';
import { requireVisible } from './visible.ts';

const isGatewayHeader = (name: string) => name.toLowerCase().startsWith('x-gateway-');

/** One message of a log as `show` puts it; null where it is not stored. Lists name logs whose messages only others see. */
export async function messageOf<T>(
  context: GraphContext,
  record: LogRecord,
  pick: (bodies: Messages) => LogMessage | null | undefined,
  show: (record: LogRecord, message: LogMessage) => T,
): Promise<T | null> {
  requireVisible(context.principal, record);
  const bodies = await logBodiesByRecord(context).load(record);
  const message = bodies && pick(bodies);
  return message ? show(record, message) : null;
}

export function shownRequest(record: LogRecord, message: LogMessage) {
  const headers = Object.entries(message.headers);
  return {
    url: record.requestUrl,
    method: record.requestMethod,
    headers: Object.fromEntries(headers.filter(([name]) => !isGatewayHeader(name))),
    gatewayHeaders: Object.fromEntries(headers.filter(([name]) => isGatewayHeader(name))),
    body: bodyOf(message),
    truncated: message.truncated,
  };
}

export const shownResponse = (record: LogRecord, message: LogMessage) => ({
  status: record.responseStatusCode,
  headers: message.headers,
  body: bodyOf(message),
  responseTime: wholeMilliseconds(record.responseTime),
  lastUsedOptionJsonPath: record.lastUsedOptionJsonPath,
  truncated: message.truncated,
});

export const shownOriginal = (record: LogRecord, message: LogMessage) => ({
  url: record.requestUrl,
  method: record.requestMethod,
  headers: message.headers,
  body: bodyOf(message),
  truncated: message.truncated,
});

/** Levels of JSON that an answer can hold without overflowing the stack. */
const maxShownDepth = 1000;

/** The stored text as JSON where it is JSON: objects and arrays, whole ones. */
function bodyOf({ body, truncated }: LogMessage): unknown {
  if (body === null || truncated || !/^\s*[{[]/.test(body)) return body;
  try {
    const value: unknown = JSON.parse(body);
    return isNestedDeeperThan(maxShownDepth, value) ? body : value;
  } catch {
    // Text that only begins like JSON is shown as the text it is.
    return body;
  }
}
