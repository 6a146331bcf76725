import type { Logger } from '../lib/logger.ts';
import type { Settings } from '../settings/index.ts';
import type { Storage } from '../storage/connection.ts';

/** Milliseconds that writing the last records may take once no request is open. */
const FINAL_WRITES = 20_000;

/**
 * Milliseconds in which a process that was told to stop still answers. SIGTERM comes from whoever also keeps a load balancer,
 * which needs the time; SIGINT comes from a person at a keyboard, who waits.
 */
export const drainDelay = (settings: Settings, signal: NodeJS.Signals): number =>
  signal === 'SIGTERM' ? settings.drainDelay : 0;

/**
 * At SIGTERM and SIGINT: runs `stop`, closes the storage and ends the process, with 0 where both succeeded in time.
 * `insists`: a second signal ends the process at once.
 */
export function stopOnSignal(
  {
    settings,
    storage,
    log,
    insists,
  }: { settings: Settings; storage: Storage; log: Logger; insists: boolean },
  stop: (signal: NodeJS.Signals) => Promise<void>,
): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping && insists) process.exit(1);
    if (stopping) return;
    stopping = true;
    const deadline = drainDelay(settings, signal) + settings.shutdownTimeout + FINAL_WRITES;
    log.info({ signal }, 'Stopping.');
    setTimeout(() => {
      log.error('The stop took too long and was cut short.');
      process.exit(1);
    }, deadline).unref();
    stop(signal)
      .then(() => storage.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ error }, 'The stop failed.');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
