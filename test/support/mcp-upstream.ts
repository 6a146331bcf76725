import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, any>;

/** How a scripted server behaves: of today's era, of yesterday's with or without sessions, or of 2024-11-05. */
export type McpEra = 'modern' | 'legacy' | 'sessions' | 'sse';

export type McpRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Json | null };

export type McpUpstream = {
  url: string;
  era: McpEra;
  tools: Json[];
  prompts: Json[];
  resources: Json[];
  templates: Json[];
  instructions: string | undefined;
  /** Answered in place of everything else; null for nothing of the kind. */
  status: number | null;
  /** Body of such an answer. */
  statusBody: string;
  /** What every message has to bring in `authorization`; null for nothing. */
  authorization: string | null;
  /** Events in place of plain JSON. */
  streams: boolean;
  /** Whether it says that it tells of changes of resources. */
  resourcesMayBeWatched: boolean;
  /** Items that one page of a list has. */
  pageSize: number;
  requests: McpRequest[];
  /** Answers a message in its own way: with a reply, or by itself on the response (true); undefined leaves it to the server. */
  onMessage: (message: Json, response: ServerResponse, request: IncomingMessage) => Json | true | undefined;
  /** Answers a GET of the endpoint; null refuses it. */
  onGet: ((response: ServerResponse, request: IncomingMessage) => void) | null;
  /** Ids of the sessions that the server knows, in the era that has them. */
  sessions: Set<string>;
  /** What a path answers to a GET, beside the MCP endpoint: metadata of OAuth. */
  documents: Record<string, Json>;
  /** What the token endpoint at /token answers. */
  token: Json;
  /** Streams of the old way that are open. */
  openStreams(): number;
  stop(): Promise<void>;
};

const MODERN = '2026-07-28';

export const tool = (name: string, more: Json = {}): Json => ({
  ...{ name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} } },
  ...more,
});

/** An MCP server on loopback that does what the test says. */
export async function startMcpUpstream(era: McpEra = 'modern'): Promise<McpUpstream> {
  const streams = new Map<string, ServerResponse>();
  let sessionCount = 0;
  const upstream: McpUpstream = {
    ...{ url: '', era, tools: [tool('search')], prompts: [], resources: [], templates: [] },
    ...{ instructions: undefined, status: null, statusBody: '', authorization: null, streams: false },
    resourcesMayBeWatched: false,
    ...{ pageSize: 1000, requests: [], documents: {}, token: {} },
    ...{ onMessage: () => undefined, onGet: null, sessions: new Set() },
    openStreams: () => streams.size,
    stop: () =>
      new Promise((resolve) => {
        for (const stream of streams.values()) stream.end();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString('utf8')));
  });

  function answer(request: IncomingMessage, response: ServerResponse, text: string): void {
    const { method = '', url: path = '', headers } = request;
    const isJson = headers['content-type'] === 'application/json' && text !== '';
    upstream.requests.push({ method, path, headers, body: isJson ? JSON.parse(text) : { text } });
    const document = upstream.documents[path];
    if (document) return void json(response, 200, document);
    if (path === '/token') return void json(response, 200, upstream.token);
    if (path.startsWith('/.well-known/')) return void json(response, 404, {});
    if (upstream.status !== null) {
      response.writeHead(upstream.status, { location: 'http://127.0.0.1:9/' }).end(upstream.statusBody);
      return;
    }
    if (upstream.authorization !== null && headers.authorization !== upstream.authorization)
      return void json(response, 401, { secret: 'what an upstream says of itself' });
    if (upstream.era === 'sse') return void oldWay(request, response, text);
    if (method === 'DELETE') {
      upstream.sessions.delete(String(headers['mcp-session-id']));
      return void response.writeHead(200).end();
    }
    if (method === 'GET' && upstream.onGet) return void upstream.onGet(response, request);
    if (method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(text) as Json;
    if (upstream.era === 'sessions' && message.method !== 'initialize') {
      const id = headers['mcp-session-id'];
      if (id === undefined)
        return void json(response, 400, rpcError(message.id, -32000, 'Mcp-Session-Id header is required'));
      if (!upstream.sessions.has(String(id)))
        return void json(response, 404, rpcError(message.id, -32001, 'Session not found'));
    }
    const own = upstream.onMessage(message, response, request);
    if (own === true) return;
    const reply = own ?? (upstream.era === 'modern' ? modernReply(message) : legacyReply(message));
    if (reply === null) return void response.writeHead(202).end();
    const opens = message.method === 'initialize' && upstream.era === 'sessions';
    const session: Record<string, string> = opens ? { 'mcp-session-id': openedSession() } : {};
    if (!upstream.streams) return void json(response, statusOf(reply, upstream.era), reply, session);
    response.writeHead(200, { 'content-type': 'text/event-stream', ...session });
    response.write(': hello\n\n');
    response.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
    response.end(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
  }

  function openedSession(): string {
    const id = `session-${++sessionCount}`;
    upstream.sessions.add(id);
    return id;
  }

  function modernReply({ id, method, params = {} }: Json): Json | null {
    if (id === undefined) return null;
    if (params._meta?.['io.modelcontextprotocol/protocolVersion'] !== MODERN)
      return rpcError(id, -32602, 'No version');
    const meta = { _meta: { 'io.modelcontextprotocol/serverInfo': info } };
    if (method === 'server/discover')
      return result(id, { resultType: 'complete', supportedVersions: [MODERN], ...declared(), ...meta });
    const listed = listOf(method, params);
    return listed
      ? result(id, { resultType: 'complete', ...listed, ...meta })
      : rpcError(id, -32601, 'Unknown');
  }

  function legacyReply({ id, method, params = {} }: Json): Json | null {
    if (id === undefined) return null;
    if (method === 'initialize')
      return result(id, { protocolVersion: params.protocolVersion, serverInfo: info, ...declared() });
    const listed = listOf(method, params);
    return listed ? result(id, listed) : rpcError(id, -32601, 'Unknown');
  }

  const info = {
    name: 'scripted',
    version: '3.2.1',
    title: 'Scripted',
    websiteUrl: 'https://scripted.example/',
  };

  const declared = () => ({
    capabilities: {
      ...{ tools: {}, prompts: {} },
      resources: upstream.resourcesMayBeWatched ? { subscribe: true } : {},
    },
    ...(upstream.instructions !== undefined && { instructions: upstream.instructions }),
  });

  function listOf(method: string, { cursor }: Json): Json | null {
    const lists: Record<string, [string, Json[]]> = {
      'tools/list': ['tools', upstream.tools],
      'prompts/list': ['prompts', upstream.prompts],
      'resources/list': ['resources', upstream.resources],
      'resources/templates/list': ['resourceTemplates', upstream.templates],
    };
    const [member, items] = lists[method] ?? [];
    if (!member || !items) return null;
    const start = Number(cursor ?? 0);
    const end = start + upstream.pageSize;
    return { [member]: items.slice(start, end), ...(end < items.length && { nextCursor: String(end) }) };
  }

  function oldWay(request: IncomingMessage, response: ServerResponse, text: string): void {
    const { method, url: path = '' } = request;
    if (method === 'GET') {
      const id = `${++sessionCount}`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`);
      streams.set(id, response);
      response.on('close', () => streams.delete(id));
      return;
    }
    const stream = streams.get(path.replace('/messages?id=', ''));
    if (!stream) return void response.writeHead(405).end();
    response.writeHead(202).end();
    const message = JSON.parse(text) as Json;
    const own = upstream.onMessage(message, stream, request);
    const reply = own === true ? null : (own ?? legacyReply(message));
    if (reply) stream.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return upstream;
}

const result = (id: unknown, value: Json): Json => ({ jsonrpc: '2.0', id, result: value });
const rpcError = (id: unknown, code: number, message: string): Json => ({
  ...{ jsonrpc: '2.0', id: id ?? null, error: { code, message } },
});

const statusOf = ({ error }: Json, era: McpEra): number => {
  if (!error) return 200;
  return era === 'modern' && error.code === -32601 ? 404 : 400;
};

function json(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
