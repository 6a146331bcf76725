import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../../src/http/server.ts';

/** An MCP server with sessions that counts how often each call was made. */
export type CountingServer = {
  url: string;
  /** Times that a call was made, by the text that it brought. */
  executed: ReadonlyMap<string, number>;
  stop(): Promise<void>;
};

/** Milliseconds that a call takes, so that a gateway that is killed has some of them under way. */
const LONGEST_MS = 120;

type Message = {
  id?: string | number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { mark: string } };
};

export async function startCountingServer(): Promise<CountingServer> {
  const executed = new Map<string, number>();
  const sessions = new Set<string>();
  const tools = [
    {
      name: 'count',
      inputSchema: { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] },
    },
  ];

  async function resultOf({ method, params }: Message): Promise<object> {
    if (method === 'initialize')
      return {
        ...{ protocolVersion: params?.protocolVersion, capabilities: { tools: {} } },
        serverInfo: { name: 'counting', version: '1' },
      };
    if (method === 'tools/call') {
      const mark = params?.arguments?.mark ?? '';
      executed.set(mark, (executed.get(mark) ?? 0) + 1);
      await wait(Math.random() * LONGEST_MS);
      return { content: [{ type: 'text', text: mark }] };
    }
    return { tools, prompts: [], resources: [], resourceTemplates: [] };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = JSON.parse(await textOf(request)) as Message;
    const session = String(request.headers['mcp-session-id']);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (message.method === 'initialize') {
      headers['mcp-session-id'] = randomUUID();
      sessions.add(headers['mcp-session-id']);
    } else if (!sessions.has(session)) {
      const error = { code: -32001, message: 'Session not found' };
      response.writeHead(404, headers).end(JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error }));
      return;
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = await resultOf(message);
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  const server = createServer((request, response) => {
    if (request.method === 'DELETE') sessions.delete(String(request.headers['mcp-session-id']));
    if (request.method !== 'POST')
      return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    answer(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    executed,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
