import { z } from 'zod';
import { newSpanId } from '../../../lib/trace-ids.ts';
import type { CheckedCall } from '../../check.ts';

const refused = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'ocp-apim-subscription-key', 'cookie'],
  // Headers by which machines of clouds ask for their credentials.
  ...['metadata', 'metadata-flavor', 'x-aws-ec2-metadata-token', 'x-google-metadata-request'],
  'x-aws-ec2-metadata-token-ttl-seconds',
  // Headers of one connection.
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'content-length', 'expect'],
]);
const own = 'x-gateway-';
const allowedOwn = new Set([`${own}trace-id`, `${own}span-id`]);

/** Names of the caller's headers that a service gets too. */
export const forwardHeadersParameter = z
  .array(
    z
      .string()
      .max(200)
      .toLowerCase()
      .refine(
        (name) => !refused.has(name) && (!name.startsWith(own) || allowedOwn.has(name)),
        'this header holds credentials or belongs to the connection',
      ),
  )
  .max(50)
  .default([])
  .describe('The headers of the caller that are sent too; `traceparent` is made where the caller sent none.');

export function forwardedHeaders(
  { headers, traceId }: CheckedCall,
  names: readonly string[],
): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = [headers[name] ?? []].flat()[0] ?? made(name, traceId);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

const made = (name: string, traceId: string): string | null =>
  name === 'traceparent' ? `00-${traceId}-${newSpanId()}-01` : null;
