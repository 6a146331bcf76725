import { GatewayError } from '../../errors/index.ts';
import { headerOf } from '../../lib/http/headers.ts';
import type { Call } from './call.ts';

/** Milliseconds that `x-gateway-request-timeout` allows an attempt; null without it. Throws VALIDATION_FAILED for another value. */
export function headerTimeout(call: Call): number | null {
  const text = headerOf(call.headers, 'x-gateway-request-timeout');
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3_600_000) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'x-gateway-request-timeout is a whole number of milliseconds from 1 to 3600000.',
      param: 'x-gateway-request-timeout',
    });
  }
  return value;
}
