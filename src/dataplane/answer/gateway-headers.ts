import type { CacheStatus } from '../../recording/log-record.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';

/** The gateway's own headers on an answer (spec/data-plane.md, section 1.3). */
export const gatewayHeaders = (
  call: Call,
  leaf: Leaf,
  providerId: string,
  retryCount: number,
  cacheStatus: CacheStatus,
): Record<string, string> => ({
  'x-gateway-trace-id': call.trace.traceId,
  'x-gateway-request-id': call.requestId,
  'x-gateway-provider': providerId,
  'x-gateway-retry-attempt-count': String(retryCount),
  'x-gateway-last-used-option-index': leaf.path,
  'x-gateway-cache-status': cacheStatus,
});
