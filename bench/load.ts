import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export type LoadResult = {
  requests: number;
  failures: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
};

/** POST unless `method` says otherwise. */
export type Request = { method?: string; path: string; headers: Record<string, string>; body: string };

/**
 * Sends one request after another on each of `connections` keep-alive connections for `seconds`, on raw sockets so that
 * the generator takes as little of the machine as it can. Every answer must be a 200 of the announced length.
 */
export async function load(
  port: number,
  request: Request,
  options: { connections: number; seconds: number },
): Promise<LoadResult> {
  const bytes = serialise(port, request);
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const until = startedAt + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      runConnection(port, bytes, until, {
        done: (latency) => latencies.push(latency),
        failed: () => failures++,
      }),
    ),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    requests: latencies.length,
    failures,
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
  };
}

export function serialise(port: number, { method = 'POST', path, headers, body }: Request): Buffer {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

type Report = { done(latency: number): void; failed(): void };

function runConnection(port: number, request: Buffer, until: number, report: Report): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let received = '';
    const send = () => {
      received = '';
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const state = completeness(received);
      if (state === 'open') return;
      if (state === 'failed') report.failed();
      else report.done(performance.now() - sentAt);
      if (performance.now() < until) send();
      else socket.end();
    });
    socket.on('error', () => report.failed());
    socket.on('close', () => resolve());
  });
}

function completeness(text: string): 'open' | 'done' | 'failed' {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return 'open';
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
  const isComplete =
    length === undefined ? text.endsWith('0\r\n\r\n') : text.length - end - 4 >= Number(length);
  if (!isComplete) return 'open';
  return text.startsWith('HTTP/1.1 200') ? 'done' : 'failed';
}
