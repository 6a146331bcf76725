import { connect } from 'node:net';

export type RawRequest = {
  /** All that came back so far. */
  answer(): string;
  status(): number;
  /** The value of the answer's JSON body. */
  json(): any;
  write(bytes: Buffer | string): void;
  /** Whether the server has closed the connection. */
  isClosed(): boolean;
  closed: Promise<void>;
  drop(): void;
};

/** A request over a socket of its own: `POST /graphql`, and what follows; the body is written by the test. */
export function rawRequest(url: string, line: string, headers: Record<string, string>): RawRequest {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  let isClosed = false;
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  // A write that comes after the end.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return {
    answer: () => answer,
    status: () => Number(answer.slice(9, 12)),
    json: () => JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? 'null'),
    write: (bytes) => void socket.write(bytes),
    isClosed: () => isClosed,
    closed,
    drop: () => void socket.destroy(),
  };
}
