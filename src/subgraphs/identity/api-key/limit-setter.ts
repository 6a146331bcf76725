import type { Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { apiKeyModel } from './model.ts';

/**
 * Refuses a key that has limits of its own: it could raise them, or make what is without them. Limits are set by whoever has
 * none.
 */
export async function requireLimitSetter({ db, principal }: GraphContext): Promise<void> {
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  if (!principal.kind.endsWith('-service') && principal.kind !== 'workspace-user') return;
  const limited = await apiKeyModel(db).exists({
    _id: principal.id,
    organisationId: principal.organisationId,
    $or: [{ 'usageLimits.0': { $exists: true } }, { 'rateLimits.0': { $exists: true } }],
  });
  if (!limited) return;
  throw new GatewayError('FORBIDDEN', {
    message: 'An API key with limits of its own sets no limits and makes no keys.',
  });
}

/** Refuses whoever may change their own keys alone: those limits were set for them by others. */
export async function requireLimitsOfKey(context: GraphContext, principal: Principal): Promise<void> {
  if (principal.ownOnly?.has('api keys')) {
    throw new GatewayError('FORBIDDEN', {
      message: 'Limits of an API key are set by whoever administers the keys of others.',
    });
  }
  await requireLimitSetter(context);
}
