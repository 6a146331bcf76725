import { isNestedDeeperThan } from '../../../lib/storable.ts';
import type { LogBodies, LogMessage, LogRecord } from '../../../recording/log-record.ts';
import type { GraphContext } from '../../context.ts';
import { logBodiesByRecord } from './loaders.ts';
import { wholeMilliseconds } from './milliseconds.ts';

const isGatewayHeader = (name: string) => name.toLowerCase().startsWith('x-gateway-');

export async function requestOf(
  context: GraphContext,
  record: LogRecord,
  pick: (bodies: Omit<LogBodies, 'expiresAt'>) => LogMessage | null,
) {
  const bodies = await logBodiesByRecord(context).load(record);
  const message = bodies && pick(bodies);
  if (!message) return null;
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

export async function responseOf(context: GraphContext, record: LogRecord) {
  const message = (await logBodiesByRecord(context).load(record))?.response;
  if (!message) return null;
  return {
    status: record.responseStatusCode,
    headers: message.headers,
    body: bodyOf(message),
    responseTime: wholeMilliseconds(record.responseTime),
    lastUsedOptionJsonPath: record.lastUsedOptionJsonPath,
    truncated: message.truncated,
  };
}

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
