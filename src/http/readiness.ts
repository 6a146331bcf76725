export type Readiness = {
  ready: boolean;
  status: 'ok' | 'degraded' | 'stopping';
  database: 'up' | 'down';
  disk: 'ok' | 'full';
};

/**
 * Whether a load balancer should send requests here. Without the database the service answers calls from memory, and with a
 * full disk inference and reads go on; every other instance has the same database, so that both leave it ready. What stops
 * is no longer ready.
 */
export function readiness(given: { databaseUp: boolean; diskFull: boolean; isStopping: boolean }): Readiness {
  const { databaseUp, diskFull, isStopping } = given;
  const served = databaseUp && !diskFull ? 'ok' : 'degraded';
  return {
    ready: !isStopping,
    status: isStopping ? 'stopping' : served,
    database: databaseUp ? 'up' : 'down',
    disk: diskFull ? 'full' : 'ok',
  };
}
