import type { Principal } from '../auth/index.ts';
import { GatewayError } from '../errors/index.ts';

/** Refuses an input that names another organisation than the credential's. */
export function requireOwnOrganisation(principal: Principal, named: string | null | undefined): void {
  if (!named || named === principal.organisationId) return;
  throw new GatewayError('FORBIDDEN', {
    message: 'A credential may not name another organisation.',
    param: 'input.organisationId',
  });
}
