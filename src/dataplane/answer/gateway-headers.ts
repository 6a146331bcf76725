import type { CacheStatus } from '../../recording/log/record.ts';
import type { Leaf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import type { Target } from '../target/target.ts';

/** Who was asked; `cache`: null where it had no part. */
type Answerer = { call: Call; leaf: Leaf; target: Target; cache: { status: CacheStatus } | null };

/** The gateway's own headers on an answer. */
export const gatewayHeaders = (
  { call, leaf, target, cache }: Answerer,
  retryCount: number,
): Record<string, string> => ({
  'x-gateway-trace-id': call.trace.traceId,
  'x-gateway-request-id': call.requestId,
  'x-gateway-provider': target.provider.id,
  'x-gateway-retry-attempt-count': String(retryCount),
  'x-gateway-last-used-option-index': leaf.path,
  'x-gateway-cache-status': cache?.status ?? 'DISABLED',
});
