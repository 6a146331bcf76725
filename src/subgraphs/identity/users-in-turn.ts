import type { GraphContext } from '../context.ts';

/** Milliseconds that a change waits for those before it; an identity provider sends many at once. */
const PATIENCE_MS = 30_000;

/**
 * Runs a change of users, groups or mappings while no other one of the organisation runs, in whatever process, so that
 * what follows from all three is worked out from a state that stands still.
 */
export const usersInTurn = <T>(
  { db, leases }: GraphContext,
  organisationId: string,
  work: () => Promise<T>,
): Promise<T> => leases.hold(db, `users ${organisationId}`, PATIENCE_MS, work);
