import { connect } from 'node:net';

export type SlowDoor = {
  /** `POST /graphql` */
  name: string;
  headers?: Record<string, string>;
};

export type SlowResult = { name: string; status: string; seconds: number | null };

/** How long a body of a byte a second is taken before its connection is closed; null where it is still taken at the end. */
export function drip(port: number, { name, headers = {} }: SlowDoor, limitMs: number): Promise<SlowResult> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    const all = { host: 'x', 'content-type': 'application/json', 'content-length': '1000', ...headers };
    const lines = Object.entries(all).map(([header, value]) => `${header}: ${value}\r\n`);
    socket.write(`${name} HTTP/1.1\r\n${lines.join('')}\r\n{`);
    const dripping = setInterval(() => socket.write(' '), 1000);
    const limit = setTimeout(() => finish(null), limitMs);
    const finish = (seconds: number | null) => {
      clearInterval(dripping);
      clearTimeout(limit);
      socket.destroy();
      resolve({ name: labelOf(name, headers), status: answer.slice(9, 12) || '-', seconds });
    };
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // The kernel says so when the other side has closed and is written to.
    socket.on('error', () => undefined);
    socket.once('close', () => finish((performance.now() - startedAt) / 1000));
  });
}

const labelOf = (name: string, headers: Record<string, string>): string =>
  `${name}${'x-gateway-api-key' in headers ? ', with a key' : ''}`;
