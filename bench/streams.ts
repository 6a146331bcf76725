import { connect } from 'node:net';
import { serialise } from './load.ts';

const DEADLINE = 60_000;

/** Opens `count` streamed chat calls at once and counts those that end with `[DONE]` and all of their frames. */
export async function streams(
  port: number,
  headers: Record<string, string>,
  count: number,
): Promise<{ complete: number; broken: number }> {
  const body = JSON.stringify({
    model: 'gpt-bench',
    messages: [{ role: 'user', content: 'go' }],
    stream: true,
  });
  const request = serialise(port, {
    path: '/v1/chat/completions',
    headers: { ...headers, connection: 'close' },
    body,
  });
  const results = await Promise.all(Array.from({ length: count }, () => runStream(port, request)));
  const complete = results.filter(Boolean).length;
  return { complete, broken: count - complete };
}

function runStream(port: number, request: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    let text = '';
    const timer = setTimeout(() => socket.destroy(), DEADLINE);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve((text.match(/"word "/g) ?? []).length === 20 && text.includes('data: [DONE]'));
    });
  });
}
