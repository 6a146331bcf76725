import { GatewayError } from '../../../errors/index.ts';
import type { OwnIdentity } from '../../identity.ts';

/** Throws for a call that may not use the gateway's own identity. */
export function requireIdentity(
  identity: OwnIdentity | null | undefined,
  setting: string,
  mode: string,
): OwnIdentity {
  if (identity) return identity;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${setting} ${mode} shows the gateway's own identity, which the operator lends (CLOUD_IDENTITY) to integrations without a custom host alone.`,
    param: setting,
  });
}
