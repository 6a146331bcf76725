import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import type { UpstreamSession } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { clientInfo, LATEST_LEGACY, legacyVersions, type UpstreamWire } from '../upstream/index.ts';
import { ask } from './ask.ts';
import { failureOf } from './asked-failure.ts';
import { shownCapabilities } from './features.ts';
import { timeoutsOf } from './timeouts.ts';

type Headers = Readonly<Record<string, string>>;

/** What a caller says of itself at the beginning of a session; `clientInfo` null stands for the gateway. */
export type SaidByCaller = { version: string; capabilities: JsonObject; clientInfo: JsonObject | null };

export type Handshakes = {
  /** Opens a session; `initialized` is sent besides unless the caller will. Throws an RpcFailure. */
  open(
    server: McpServerRecord,
    headers: Headers,
    said: SaidByCaller,
    given?: { callerGoesOn: boolean },
  ): Promise<{ upstream: UpstreamSession; result: JsonObject }>;
  /** Ends a session that nobody needs any more; nobody waits for that. */
  close(server: McpServerRecord, headers: Headers, session: UpstreamSession): void;
};

export const LATEST: string = LATEST_LEGACY;

/** The headers of messages within a session. */
export const sessionHeaders = ({ version, id }: UpstreamSession): Record<string, string> => ({
  'mcp-protocol-version': version,
  ...(id !== null && { 'mcp-session-id': id }),
});

let lastId = 0;

export function createHandshakes(wire: UpstreamWire, log: Logger): Handshakes {
  const post = (server: McpServerRecord, headers: Headers, message: JsonObject) =>
    ask(
      { method: 'POST', url: server.upstream.url, headers, body: JSON.stringify(message) },
      { wire, ...timeoutsOf(server, undefined), isAnswer: ({ id }) => id === message.id && id !== undefined },
    );

  return {
    async open(server, headers, said, given) {
      const { configurations } = server.upstream;
      const params = {
        protocolVersion: said.version,
        capabilities: shownCapabilities(said.capabilities, configurations),
        clientInfo: said.clientInfo ?? clientInfo,
      };
      const id = `sluice-${++lastId}`;
      const asked = await post(server, headers, { jsonrpc: '2.0', id, method: 'initialize', params });
      const result = asked.response?.value.result;
      if (!isObject(result)) throw failureOf(server, asked, { wasSent: false });
      const version = legacyVersions.find((each) => each === result.protocolVersion) ?? LATEST;
      const upstream = { version, id: asked.sessionId };
      if (!given?.callerGoesOn)
        await post(
          server,
          { ...headers, ...sessionHeaders(upstream) },
          { jsonrpc: '2.0', method: 'notifications/initialized' },
        );
      return { upstream, result };
    },
    close(server, headers, session) {
      if (session.id === null) return;
      void ask(
        {
          method: 'DELETE',
          url: server.upstream.url,
          headers: { ...headers, ...sessionHeaders(session) },
          body: null,
        },
        { wire, ...timeoutsOf(server, undefined), isAnswer: () => false },
      ).then(({ status }) => {
        if (status === 0)
          log.debug({ mcpServer: server.id }, 'A session of an MCP server could not be ended.');
      });
    },
  };
}
