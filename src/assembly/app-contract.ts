import type { Sleep } from '../auth/index.ts';
import type { TrustedDocuments } from '../graph/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { StartLogWorker } from '../recording/log/thread/worker-port.ts';
import type { HostedTool } from '../runs/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Storage } from '../storage/connection.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { AppListeners } from './doors/listeners.ts';

/** What the service is built from. */
export type AppDependencies = {
  settings: Settings;
  storage: Pick<Storage, 'db' | 'uri'>;
  secrets: Secrets;
  log: Logger;
  /** How an answer to a wrong credential is delayed, and a failed attempt before it is repeated. */
  sleep?: Sleep;
  now?: () => Date;
  /** Tools that runs have beside those of the house. */
  hostedTools?: readonly HostedTool[];
  /** The only documents that the console's graph runs, where not those of the built console; null for any. */
  consoleDocuments?: TrustedDocuments | null;
  /** Starts the thread in which request logs are worked out; each app has one of its own where this is left out. */
  startLogWorker?: StartLogWorker;
};

/** The service, built and not started. */
export type App = AppListeners & {
  /** Tells the app a port on which it is reached, so that it never sends a provider's request to itself. */
  listensOn(port: number): void;
  /** From now on `/readyz` sends load balancers elsewhere; requests are still answered. */
  announceStop(): void;
  /** Ends the calls that are open; a stream gets an error as its last event. */
  endCalls(): void;
  /**
   * Ends subscriptions and realtime sessions, which would keep their connections open for ever. New ones are refused.
   */
  endSubscriptions(): Promise<void>;
  start(): Promise<void>;
  /** Resolves when everything recorded until now is durable. */
  settle(): Promise<void>;
  /** Ends what `start` began, in the opposite order; everything recorded is durable afterwards. */
  stop(): Promise<void>;
};
