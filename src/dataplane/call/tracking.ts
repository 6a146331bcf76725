import { headerOf } from '../../lib/http/headers.ts';
import type { KeptParts } from '../../recording/log/draft.ts';
import type { Call } from './call.ts';

/** Whether the caller wants no bodies logged: `x-gateway-debug: false`. The header means nothing where the key has a log mode. */
export const declinesTracking = ({ key, headers }: Call): boolean =>
  key.logMode === null && headerOf(headers, 'x-gateway-debug') === 'false';

/** The bodies and headers that the request log keeps of a call. */
export function keptParts(call: Call): KeptParts {
  if (declinesTracking(call)) return 'none';
  return call.key.logMode === 'metrics' ? 'failed answers' : 'all';
}

export const keepsBodies = (call: Call): boolean => keptParts(call) === 'all';
