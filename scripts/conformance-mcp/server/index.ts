import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../../src/http/server.ts';
import { textOf } from '../../prove-mcp/upstream.ts';
import { answerModern, tellChange } from './modern.ts';
import { change, type Json, type Message, resultOf } from './results.ts';

const META = 'io.modelcontextprotocol/protocolVersion';
const LOOPBACK = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
const capabilities = {
  ...{ tools: { listChanged: true }, prompts: { listChanged: true } },
  ...{ resources: { subscribe: true }, completions: {}, logging: {} },
};

/** An MCP server of both eras, with sessions in the older one, that has what the conformance suite asks for. */
export async function startConformanceServer(): Promise<{ url: string; stop(): Promise<void> }> {
  /** Questions that wait for their answers, by session. */
  const sessions = new Map<string, Map<unknown, (answer: Json) => void>>();
  /** Answers whose streams have ended before them, by the id of the event to go on behind. */
  const left = new Map<string, Json>();
  change.tell = tellChange;
  let lastQuestion = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', origin } = request.headers;
    if (!LOOPBACK.test(host) || (origin !== undefined && !LOOPBACK.test(origin)))
      return void response.writeHead(403).end();
    const id = String(request.headers['mcp-session-id']);
    if (request.method === 'DELETE') return void response.writeHead(sessions.delete(id) ? 200 : 404).end();
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      const rest = left.get(String(request.headers['last-event-id']));
      if (rest) response.end(`data: ${JSON.stringify(rest)}\n\n`);
      return;
    }
    const value = JSON.parse(await textOf(request)) as Json;
    const message = { ...value, params: value.params ?? {} } as Message;
    const claimed = (message.params._meta as Json | undefined)?.[META];
    const header = request.headers['mcp-protocol-version'];
    if (value.method !== undefined && (claimed !== undefined || String(header ?? '') >= '2026'))
      return answerModern(message, (name) => request.headers[name]?.toString(), response);
    await answerLegacy(message, value, id, response);
  }

  async function answerLegacy(message: Message, value: Json, id: string, response: ServerResponse) {
    const reply = (answered: Json, headers: Record<string, string> = {}) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answered }));
    if (message.method === 'initialize') {
      const opened = randomUUID();
      sessions.set(opened, new Map());
      const { protocolVersion } = message.params;
      const result = { protocolVersion, capabilities, serverInfo: { name: 'conformance', version: '1' } };
      return reply({ result }, { 'mcp-session-id': opened });
    }
    const waiting = sessions.get(id);
    if (waiting === undefined) return void response.writeHead(id === 'undefined' ? 400 : 404).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === undefined) {
      waiting.get(value.id)?.(value);
      return void response.writeHead(202).end();
    }
    if (['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].includes(message.method))
      return reply({ result: {} });
    if (message.method !== 'tools/call') return reply(await resultOf(message));
    await streamed(message, waiting, response);
  }

  /** Calls of tools are answered with events, on which a tool speaks before it is done. */
  async function streamed(
    message: Message,
    waiting: Map<unknown, (answer: Json) => void>,
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (message.params.name === 'test_reconnection') {
      const id = randomUUID();
      left.set(id, { jsonrpc: '2.0', id: message.id, ...(await resultOf(message)) });
      return void response.end(`id: ${id}\nretry: 300\ndata: \n\n`);
    }
    const notify = (value: Json) =>
      void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
    async function ask(question: Json): Promise<Json> {
      const id = `question-${++lastQuestion}`;
      const { promise, resolve } = Promise.withResolvers<Json>();
      waiting.set(id, resolve);
      notify({ id, ...question });
      const { result, error } = await promise;
      waiting.delete(id);
      return (result ?? { action: 'cancel', content: error }) as Json;
    }
    notify({ id: message.id, ...(await resultOf(message, { notify, ask })) });
    response.end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
