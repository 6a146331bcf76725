import { createApp } from '../assembly/app.ts';
import { hold } from '../http/held-server.ts';
import { close, createHttpServer, listen, openSubgraphListener } from '../http/server.ts';
import { localUrl } from '../lib/http/local-url.ts';
import type { Logger } from '../lib/logger.ts';
import type { Settings } from '../settings/index.ts';
import type { Storage } from '../storage/connection.ts';
import type { Secrets } from '../storage/secrets.ts';

/** Where a service answers: everybody, and federation routers when they have a listener of their own. */
export type Addresses = { main: string; subgraphs: string | null };

export type Service = {
  addresses: Addresses;
  /** Lets open requests finish within the time limit of the settings; afterwards everything recorded is durable. */
  stop(): Promise<void>;
};

/**
 * Starts the app on a database and opens its ports. Requests wait until `prepare` has resolved: it gets the addresses
 * and sets up what is needed for the first answer, such as a first key.
 */
export async function startService(options: {
  settings: Settings;
  storage: Storage;
  secrets: Secrets;
  log: Logger;
  prepare(addresses: Addresses): Promise<void>;
}): Promise<Service> {
  const { settings, prepare } = options;
  const app = createApp(options);
  await app.start();
  const server = createHttpServer(app.handle, app.handleUpgrade);
  const open = hold(server);
  const port = await listen(server, settings.listen.host, settings.listen.port);
  app.listensOn(port);
  const routers = app.subgraphListener && (await openSubgraphListener(app.subgraphListener));
  if (routers) app.listensOn(routers.port);
  const openRouters = routers && hold(routers.server);
  const addresses = { main: localUrl(settings.listen.host, port), subgraphs: routers?.url ?? null };
  await prepare(addresses);
  open();
  openRouters?.();
  return {
    addresses,
    async stop() {
      const servers = routers ? [server, routers.server] : [server];
      const closed = servers.map((open) => close(open, settings.shutdownTimeout));
      await Promise.all([app.endSubscriptions(), ...closed]);
      await app.stop();
    },
  };
}
