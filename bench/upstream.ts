// A model provider that costs as little as it can: a fixed answer of 0.4 kB, a stream of frames over a second, or, for the
// model `gpt-down`, a failure.
import { createServer } from 'node:http';

const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'gpt-bench',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'The quick brown fox jumps over the lazy dog, and then does it again.',
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 16, total_tokens: 28 },
  system_fingerprint: 'fp_bench',
});
const head = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(answer)) };
const FRAMES = 20;
const frame = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`;

const server = createServer((request, response) => {
  let streamed = false;
  let down = false;
  request.on('data', (chunk: Buffer) => {
    streamed ||= chunk.includes('"stream":true');
    down ||= chunk.includes('"gpt-down"');
  });
  request.on('end', () => {
    if (down) {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"down","type":"server_error","param":null,"code":null}}');
      return;
    }
    if (!streamed) {
      response.writeHead(200, head);
      response.end(answer);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const timer = setInterval(() => {
      response.write(frame);
      if (++sent < FRAMES) return;
      clearInterval(timer);
      response.end('data: [DONE]\n\n');
    }, 50);
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'));
