import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { EventStream } from '../exchange/event-stream.ts';
import { RpcFailure, type RpcId, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { Subscribe } from '../lines/subscription.ts';
import { saysResources, serverInfoOf } from '../relay/hello.ts';
import { subjectOf } from '../relay/subject.ts';
import type { ResourceLinks } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { META, SERVER_INFO } from '../upstream/index.ts';
import type { McpStreams } from './open-streams.ts';

const SUBSCRIPTION = `${META}subscriptionId`;

/** Lists of whose changes a caller may be told. */
const events = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

/** Resources of which one stream may tell. */
const MAX_RESOURCES = 100;

type WatchingDependencies = { subscribe: Subscribe; links: Pick<ResourceLinks, 'knows'> };

export type ListenDependencies = WatchingDependencies & { streams: McpStreams };

/** Answers `subscriptions/listen`: a stream of what the caller asks to be told of. Throws an RpcFailure where none is free. */
export function listen(
  visit: McpVisit,
  server: McpServerRecord,
  { id, params }: { id: RpcId; params: JsonObject },
  { response, streams, ...watching }: ListenDependencies & { response: ServerResponse },
): void {
  const asked = isObject(params.notifications) ? params.notifications : {};
  const lists = events.filter((name) => asked[name] === true).map((name) => [name, true] as const);
  const uris = watchable(visit, server, asked.resourceSubscriptions, watching);
  const honoured: JsonObject = {
    ...Object.fromEntries(lists),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
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
  if (Object.keys(honoured).length === 0) {
    place.end();
    return;
  }
  if (uris.length === 0) return;
  const tell = (uri: string) =>
    stream.write(
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri, _meta } }),
    );
  response.once('close', watchResources({ visit, server, uris, now: place.seen, tell }, watching));
}

/** Resources of which a caller wants to hear when they change, as far as the server says so and the caller may read them. */
function watchable(
  visit: McpVisit,
  server: McpServerRecord,
  asked: unknown,
  { links }: Pick<WatchingDependencies, 'links'>,
): string[] {
  if (!Array.isArray(asked) || !saysResources(server)) return [];
  if (asked.length > MAX_RESOURCES)
    throw new RpcFailure(
      rpc.invalidParams,
      `Invalid params: resourceSubscriptions has at most ${MAX_RESOURCES} addresses.`,
      { status: 400 },
    );
  const uris = asked.filter((uri): uri is string => typeof uri === 'string');
  return [...new Set(uris)].filter((uri) => mayRead(visit, server, uri, links));
}

/** Asks a server to say when resources change; answers what ends that. `now`: the server as its caller sees it now. */
function watchResources(
  { visit, server, uris, now, tell }: Watching,
  { subscribe, links }: WatchingDependencies,
): () => void {
  const wanted = new Set(uris);
  // The caller may have lost a resource since.
  const told = (uri: string) => {
    if (mayRead(visit, now(), uri, links)) tell(uri);
  };
  return subscribe(
    server,
    visit.caller,
    { resourceSubscriptions: uris },
    {
      said({ method, params }) {
        const uri = isObject(params) ? params.uri : null;
        if (method === 'notifications/resources/updated' && typeof uri === 'string' && wanted.has(uri))
          told(uri);
      },
      missed: () => uris.forEach(told),
    },
  );
}

type Watching = {
  visit: McpVisit;
  server: McpServerRecord;
  uris: readonly string[];
  now(): McpServerRecord;
  tell(uri: string): void;
};

function mayRead(
  { caller }: McpVisit,
  server: McpServerRecord,
  uri: string,
  links: WatchingDependencies['links'],
): boolean {
  try {
    subjectOf(server, 'resources/read', { uri }, (one, linked) => links.knows(one, caller, linked));
    return true;
  } catch (error) {
    if (error instanceof RpcFailure) return false;
    throw error;
  }
}
