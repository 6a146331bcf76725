import type { Logger } from '../../lib/logger.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { MODERN_VERSION, modernMeta, type UpstreamWire, type WireControl } from '../upstream/index.ts';
import type { UpstreamCredentials } from './credentials.ts';

/** Who hears what a server says. */
export type Hearer = {
  said(message: { method?: unknown; params?: unknown }): void;
  /** The server was not heard for a while, and what it has said meanwhile is lost. */
  missed(): void;
};

/** Subscribes to what a server of the modern era says by itself, in the name of a caller; answers what ends it. */
export type Subscribe = (
  server: McpServerRecord,
  caller: McpCaller,
  notifications: object,
  hearer: Hearer,
) => () => void;

/** Milliseconds until a subscription is asked for again that a server has ended. */
const AGAIN_MS = 30_000;

export function createSubscribe({
  wire,
  credentials,
  log,
}: {
  wire: UpstreamWire;
  credentials: Pick<UpstreamCredentials, 'headersFor'>;
  log: Logger;
}): Subscribe {
  return (server, caller, notifications, { said, missed }) => {
    const message = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 'changes', method: 'subscriptions/listen' },
      params: { notifications, _meta: modernMeta },
    });
    let isOver = false;
    let control: WireControl | null = null;
    let timer: NodeJS.Timeout | null = null;

    async function open(): Promise<void> {
      const headers = await credentials.headersFor(server, caller);
      if (isOver) return;
      let isHeard = false;
      control = wire(
        {
          ...{ method: 'POST', url: server.upstream.url, body: message },
          headers: {
            ...headers,
            ...{ 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'subscriptions/listen' },
          },
        },
        {
          head: () => undefined,
          message(value) {
            if (value.method === 'notifications/subscriptions/acknowledged') isHeard = true;
            else said(value);
            return true;
          },
          end() {
            control = null;
            // A server that has never acknowledged has no subscriptions.
            if (isOver || !isHeard) return;
            timer = setTimeout(() => {
              missed();
              begin();
            }, AGAIN_MS);
          },
        },
      );
    }

    function begin(): void {
      open().catch((error: unknown) => {
        log.debug({ error, mcpServer: server.id }, 'An MCP server is not listened to for changes.');
      });
    }

    begin();
    return () => {
      isOver = true;
      if (timer) clearTimeout(timer);
      control?.abort();
    };
  };
}

/** Whether a server says by itself what has changed. */
export const saysChanges = ({ hello, upstream }: McpServerRecord): boolean =>
  hello?.era === 'modern' && upstream.transport === 'http';
