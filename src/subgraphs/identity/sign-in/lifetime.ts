const HOUR_MS = 3_600_000;

/** Milliseconds after its last use at which a sign-in ends. */
const IDLE_MS = 12 * HOUR_MS;
/** Milliseconds that a sign-in lives at most. */
export const LIFE_MS = 7 * 24 * HOUR_MS;

/** When a sign-in that is used now will end unless it is used again. */
export const endAfterUse = (now: Date, expiresAt: Date): Date =>
  new Date(Math.min(now.getTime() + IDLE_MS, expiresAt.getTime()));
