export type Readiness = {
  ready: boolean;
  status: 'ok' | 'degraded' | 'stopping';
  database: 'up' | 'down';
  disk: 'ok' | 'full';
  /** `lost`: budgets and rates cannot be counted in the database, and each does what it is set to do then. */
  limits: 'ok' | 'lost';
  /** `off`: this machine's clock differs from the database's by a second or more. Windows of limits go by the database's. */
  clock: 'ok' | 'off';
};

/** Milliseconds by which clocks may differ. */
const MOST_SKEW_MS = 1000;

/**
 * Whether a load balancer should send requests here. Without the database the service answers calls from memory, and with a
 * full disk inference and reads go on; every other instance has the same database, so that both leave it ready. What stops
 * is no longer ready.
 */
export function readiness(given: {
  databaseUp: boolean;
  diskFull: boolean;
  limitsLost: boolean;
  /** Milliseconds by which this machine's clock is ahead of the database's. */
  clockSkew: number;
  isStopping: boolean;
}): Readiness {
  const { databaseUp, diskFull, limitsLost, clockSkew, isStopping } = given;
  const served = databaseUp && !diskFull && !limitsLost ? 'ok' : 'degraded';
  return {
    ready: !isStopping,
    status: isStopping ? 'stopping' : served,
    database: databaseUp ? 'up' : 'down',
    disk: diskFull ? 'full' : 'ok',
    limits: limitsLost ? 'lost' : 'ok',
    clock: Math.abs(clockSkew) < MOST_SKEW_MS ? 'ok' : 'off',
  };
}
