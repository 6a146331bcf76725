import { GatewayError } from '../errors/index.ts';
import type { GraphContext } from './context.ts';

const host = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:\d{1,5})?$/i;

/** Address of this installation: the configured one, else the one that the caller asked at. Throws VALIDATION_FAILED. */
export function ownAddress({ identity, request }: Pick<GraphContext, 'identity' | 'request'>): string {
  if (identity.publicUrl !== null) return identity.publicUrl;
  const asked = request.headers.host ?? '';
  if (!host.test(asked)) {
    throw new GatewayError('VALIDATION_FAILED', { message: 'The Host header names no host.', param: 'host' });
  }
  return `http://${asked}`;
}
