import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../src/http/server.ts';

export type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer };

/** Answers one request; scripts are used in order, the last one again and again. */
export type Script = (
  request: ReceivedRequest,
  response: ServerResponse,
  raw: IncomingMessage,
) => void | Promise<void>;

export type ScriptedProvider = {
  /** Base URL with a version path, as a custom host takes it. */
  url: string;
  /** Everything that reached the provider, in order. */
  requests: ReceivedRequest[];
  /** Connections that the other side closed before the answer was complete. */
  aborted: number;
  play(...scripts: Script[]): void;
  stop(): Promise<void>;
};

/** A real HTTP server on loopback in the place of a model provider. */
export async function startProvider(): Promise<ScriptedProvider> {
  let scripts: Script[] = [json(200, chatAnswer('hello'))];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on('close', () => {
      if (!response.writableFinished) provider.aborted++;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      provider.requests.push(received);
      const script = (scripts.length > 1 ? scripts.shift() : scripts[0]) ?? json(200, {});
      void script(received, response, request);
    });
  });
  const port = await listen(server, '127.0.0.1', 0);
  const provider: ScriptedProvider = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: [],
    aborted: 0,
    play(...next) {
      scripts = next;
      provider.requests.length = 0;
      provider.aborted = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

export const json =
  (status: number, value: unknown, headers: Record<string, string | string[]> = {}): Script =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };

/** Frames as they are, with a pause before each. */
export const eventStream =
  (frames: string[], pause = 0): Script =>
  async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const frame of frames) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (response.destroyed) return;
      response.write(frame);
    }
    response.end();
  };

export const chatAnswer = (
  content: string,
  usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-test',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
});

export const chatFrames = (words: string[]): string[] => [
  ...words.map(
    (content) =>
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`,
  ),
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
  'data: [DONE]\n\n',
];
