import type { Console } from '../../console/door.ts';
import type { Dataplane } from '../../dataplane/index.ts';
import type { Realtime } from '../../dataplane/realtime/index.ts';
import { allowOrigins } from '../../http/cors.ts';
import {
  createListener,
  createSubgraphListener,
  createUpgradeListener,
  type FrontDoors,
} from '../../http/front-door.ts';
import type { HeaderAliases } from '../../http/header-aliases.ts';
import type { Listener, UpgradeListener } from '../../http/listener.ts';
import type { Metrics } from '../../http/metrics.ts';
import { createOperationsAccess } from '../../http/operations-access.ts';
import { createOperationsDoor } from '../../http/operations-door.ts';
import { createProxyTrust } from '../../http/trusted-proxies.ts';
import type { Logger } from '../../lib/logger.ts';
import type { McpDoor } from '../../mcp/door/index.ts';
import type { Settings } from '../../settings/index.ts';
import type { createDoors } from './doors.ts';

/** What answers connections. */
export type AppListeners = {
  /** Answers every request of the one listener. */
  handle: Listener;
  /** Answers federation routers, when they have a listener of their own. */
  subgraphListener: { handle: Listener; host: string; port: number } | null;
  /** Takes over the connections of the one listener that ask for a WebSocket. */
  handleUpgrade: UpgradeListener;
};

type Parts = {
  settings: Settings;
  doors: ReturnType<typeof createDoors>;
  dataplane: Dataplane;
  realtime: Realtime;
  console: Console | null;
  mcp: McpDoor;
  authorize: FrontDoors['authorize'];
  metrics: Metrics;
  isReady: () => { ready: boolean; status: string };
  aliases: HeaderAliases;
  log: Logger;
};

/** Puts proxies, aliases of headers and origins in front of the doors. */
export function createListeners(parts: Parts): AppListeners {
  const { settings, doors, dataplane, realtime, console, mcp, authorize, metrics, aliases, log } = parts;
  const { standalone } = doors;
  const routersOnly = settings.subgraphs.listen;
  const proxies = createProxyTrust(settings.trustedProxies);
  const operations = createOperationsDoor({
    ...{ reference: doors.reference, metrics, isReady: parts.isReady, hasConsole: console !== null },
    seesOperations: createOperationsAccess(settings.metricsToken),
  });
  const listener = createListener({
    ...{ dataplane, console, mcp, authorize, metrics, operations, log },
    ...{ rest: doors.rest, oauth2: doors.oauth2, scim: doors.scim, graphHttp: doors.graphHttp },
    standalone: routersOnly ? null : standalone,
  });
  const around = (inner: Listener): Listener => proxies.around(aliases.around(inner));
  return {
    handle: allowOrigins(settings.corsOrigins, around(listener)),
    subgraphListener:
      standalone && routersOnly
        ? { handle: around(createSubgraphListener({ standalone, metrics })), ...routersOnly }
        : null,
    handleUpgrade: createUpgradeListener({
      adopt(request) {
        proxies.adopt(request);
        aliases.adopt(request);
      },
      graph: doors.handleUpgrade,
      realtime,
    }),
  };
}
