import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../assembly/app.ts';
import { close, createHttpServer, listen, openSubgraphListener } from '../http/server.ts';
import { answerWhileStarting } from '../http/starting-server.ts';
import { localUrl } from '../lib/http/local-url.ts';
import type { Logger } from '../lib/logger.ts';
import type { Settings } from '../settings/index.ts';
import type { Storage } from '../storage/connection.ts';
import type { Secrets } from '../storage/secrets.ts';

/** Where a service answers: everybody, and federation routers when they have a listener of their own. */
export type Addresses = { main: string; subgraphs: string | null };

export type Service = {
  addresses: Addresses;
  /**
   * Answers on for `drainDelay` milliseconds, in which `/readyz` sends load balancers elsewhere; then takes nothing new and
   * lets open requests finish within the time limit of the settings. Afterwards everything recorded is durable.
   */
  stop(drainDelay: number): Promise<void>;
};

/**
 * Starts the app on a database and opens its ports. Requests are answered once `prepare` has resolved: it gets the addresses
 * and sets up what is needed for the first answer, such as a first key. `listensFirst`: the port is there before the app has
 * started, so that whoever watches over the process sees that it lives.
 */
export async function startService(options: {
  settings: Settings;
  storage: Storage;
  secrets: Secrets;
  log: Logger;
  prepare(addresses: Addresses): Promise<void>;
  listensFirst: boolean;
}): Promise<Service> {
  const { settings, prepare, listensFirst } = options;
  const app = createApp(options);
  const server = createHttpServer(app.handle, app.handleUpgrade);
  const open = answerWhileStarting(server);
  if (!listensFirst) await app.start();
  const port = await listen(server, settings.listen.host, settings.listen.port);
  app.listensOn(port);
  if (listensFirst) await app.start();
  const routers = app.subgraphListener && (await openSubgraphListener(app.subgraphListener));
  if (routers) app.listensOn(routers.port);
  const openRouters = routers && answerWhileStarting(routers.server);
  const addresses = { main: localUrl(settings.listen.host, port), subgraphs: routers?.url ?? null };
  await prepare(addresses);
  open();
  openRouters?.();
  return {
    addresses,
    async stop(drainDelay) {
      app.announceStop();
      await sleep(drainDelay);
      const servers = routers ? [server, routers.server] : [server];
      const closed = servers.map((open) => close(open, settings.shutdownTimeout, app.endCalls));
      await Promise.all([app.endSubscriptions(), ...closed]);
      await app.stop();
    },
  };
}
