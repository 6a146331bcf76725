import type { Logger } from '../../lib/logger.ts';
import { isAggregate } from '../aggregate/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { MODERN_VERSION, modernMeta, type UpstreamWire, type WireControl } from '../upstream/index.ts';
import type { UpstreamCredentials } from './credentials.ts';

/** Hears from servers that what they offer has changed, while somebody wants to know. */
export type UpstreamWatch = {
  /** Begins to listen for a caller; answers what ends it. */
  enter(server: McpServerRecord, caller: McpCaller): () => void;
};

type Given = {
  wire: UpstreamWire;
  credentials: UpstreamCredentials;
  /** Reads a server again that has said so; `id`: of its integration. */
  readAgain(id: string): void;
  log: Logger;
};

/** Milliseconds until a subscription is asked for again that a server has ended. */
const AGAIN_MS = 30_000;

const message = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 'changes', method: 'subscriptions/listen' },
  params: {
    notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    _meta: modernMeta,
  },
});

/** One subscription in the modern era, for all callers of this process who want to know of the same integration. */
type Subscription = { wanted: number; control: WireControl | null; timer: NodeJS.Timeout | null };

/** Servers of the older era speak on the streams of their sessions, which callers hold themselves. */
export function createUpstreamWatch({ wire, credentials, readAgain, log }: Given): UpstreamWatch {
  const subscriptions = new Map<string, Subscription>();

  async function subscribe(server: McpServerRecord, caller: McpCaller, held: Subscription): Promise<void> {
    const { id, url } = server.upstream;
    const headers = await credentials.headersFor(server, caller);
    if (held.wanted === 0) return;
    let isHeard = false;
    held.control = wire(
      {
        ...{ method: 'POST', url, body: message },
        headers: {
          ...headers,
          ...{ 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'subscriptions/listen' },
        },
      },
      {
        head: () => undefined,
        message({ method }) {
          if (method === 'notifications/subscriptions/acknowledged') isHeard = true;
          if (typeof method === 'string' && method.endsWith('/list_changed')) readAgain(id);
          return true;
        },
        end() {
          held.control = null;
          // A server that has never acknowledged has no subscriptions.
          if (held.wanted === 0 || !isHeard) return;
          held.timer = setTimeout(() => {
            // What has changed meanwhile nobody has heard.
            readAgain(id);
            begin(server, caller, held);
          }, AGAIN_MS);
        },
      },
    );
  }

  function begin(server: McpServerRecord, caller: McpCaller, held: Subscription): void {
    subscribe(server, caller, held).catch((error: unknown) => {
      log.debug({ error, mcpServer: server.id }, 'An MCP server is not listened to for changes.');
    });
  }

  function hold(server: McpServerRecord, caller: McpCaller): () => void {
    const { id } = server.upstream;
    const held = subscriptions.get(id) ?? { wanted: 0, control: null, timer: null };
    subscriptions.set(id, held);
    held.wanted++;
    if (held.wanted === 1) begin(server, caller, held);
    return () => {
      held.wanted--;
      if (held.wanted > 0) return;
      subscriptions.delete(id);
      if (held.timer) clearTimeout(held.timer);
      held.control?.abort();
    };
  }

  return {
    enter(server, caller) {
      const servers = isAggregate(server) ? server.servers : [server];
      const ends = servers.filter(tellsChanges).map((each) => hold(each, caller));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

const tellsChanges = ({ hello, upstream }: McpServerRecord): boolean =>
  hello?.era === 'modern' && upstream.transport === 'http';
