import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { Logger } from '../../lib/logger.ts';
import type { RemoteSubgraph } from '../../settings/graph/remote-subgraphs.ts';
import { fetchSdl } from './fetch-sdl.ts';

export type WatchedRemote = {
  name: string;
  /** The SDL of its last answer; null before the first answer. */
  readonly latest: string | null;
  readonly isReachable: boolean;
  /** Asks the remote for its SDL once. */
  look(): Promise<void>;
  /** Looks again and again until the signal aborts; calls back after every look. */
  poll(interval: number, looked: () => void): Promise<void>;
};

/** One remote subgraph as seen from here; a change between up and down is logged once. */
export function watch(
  remote: RemoteSubgraph,
  { dispatcher, signal, log }: { dispatcher: Dispatcher; signal: AbortSignal; log: Logger },
): WatchedRemote {
  const subgraph = remote.name;
  let latest: string | null = null;
  let isReachable: boolean | null = null;

  async function look(): Promise<void> {
    try {
      latest = await fetchSdl(remote, dispatcher, signal);
      if (isReachable !== true) log.info({ subgraph }, 'A remote subgraph answers.');
      isReachable = true;
    } catch (error) {
      if (signal.aborted) return;
      if (isReachable !== false) log.warn({ subgraph, error }, 'A remote subgraph does not answer.');
      isReachable = false;
    }
  }

  return {
    name: subgraph,
    get latest() {
      return latest;
    },
    get isReachable() {
      return isReachable === true;
    },
    look,
    async poll(interval, looked) {
      while (!signal.aborted) {
        await wait(interval, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        await look();
        looked();
      }
    },
  };
}
