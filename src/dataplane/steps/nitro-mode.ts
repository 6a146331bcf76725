import { GatewayError } from '../../errors/index.ts';
import type { Endpoint } from '../../providers/index.ts';
import type { Call } from '../call/call.ts';
import { changesBody } from '../request/body-parameters.ts';

const HEADER = 'x-gateway-nitro-mode';

const endpoints: ReadonlySet<Endpoint> = new Set(['chatComplete', 'embed', 'messages', 'createResponse']);

/**
 * Whether the body goes through unread: `x-gateway-nitro-mode: true`. Throws VALIDATION_FAILED where something else that was
 * asked for needs the body, or a second request.
 */
export function isNitro(call: Call): boolean {
  if (call.headers[HEADER] !== 'true') return false;
  requireUnread(call);
  return true;
}

/** Throws for a nitro call whose plan needs the body, or a second request. */
export function requireUnread({ headers, route, plan }: Call): void {
  if (headers[HEADER] !== 'true') return;
  if (!endpoints.has(route.endpoint)) throw refusal(`is for ${[...endpoints].join(', ')}`);
  if (plan.kind === 'group') throw refusal('takes a single provider, and no targets');
  if ((plan.retry?.attempts ?? 0) > 0) throw refusal('has no retries');
  if (changesBody(plan)) throw refusal('changes no parameters of the body');
}

const refusal = (what: string) =>
  new GatewayError('VALIDATION_FAILED', { message: `${HEADER} ${what}.`, param: HEADER });
