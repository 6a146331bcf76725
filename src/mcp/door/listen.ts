import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { EventStream } from '../exchange/event-stream.ts';
import type { RpcId } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { serverInfoOf } from '../relay/hello.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { META, SERVER_INFO } from '../upstream/index.ts';
import type { McpStreams } from './open-streams.ts';

const SUBSCRIPTION = `${META}subscriptionId`;

/** What a caller may be told of. Changes of single resources are told by servers with sessions alone. */
const events = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

/** Answers `subscriptions/listen`: a stream of what the caller asks to be told of. Throws an RpcFailure where none is free. */
export function listen(
  visit: McpVisit,
  server: McpServerRecord,
  { id, params }: { id: RpcId; params: JsonObject },
  { response, streams }: { response: ServerResponse; streams: McpStreams },
): void {
  const asked = isObject(params.notifications) ? params.notifications : {};
  const honoured = Object.fromEntries(
    events.filter((name) => asked[name] === true).map((name) => [name, true]),
  );
  const _meta = { [SUBSCRIPTION]: id };
  const ended = { resultType: 'complete', _meta: { ..._meta, [SERVER_INFO]: serverInfoOf(server) } };
  const place = streams.enter(visit, server, response, {
    name: `listen ${visit.trace.spanId}`,
    goodbye: (stream) => stream.end(JSON.stringify({ jsonrpc: '2.0', id, result: ended })),
    tell(stream, { name, method }) {
      if (honoured[name]) stream.write(JSON.stringify({ jsonrpc: '2.0', method, params: { _meta } }));
    },
  });
  const stream = new EventStream(response);
  const method = 'notifications/subscriptions/acknowledged';
  stream.write(JSON.stringify({ jsonrpc: '2.0', method, params: { notifications: honoured, _meta } }));
  place.opened(stream);
  if (Object.keys(honoured).length === 0) place.end();
}
