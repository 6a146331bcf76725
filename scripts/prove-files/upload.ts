import { type createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { SluiceProcess } from '../../test/support/process.ts';

export const MB = 1024 * 1024;
const EDGE = 'edge-of-the-form';

export type Caller = { url: string; key: string };

type UploadOptions = {
  /** Takes what is sent. */
  hash?: ReturnType<typeof createHash>;
  /** Bytes after which the connection is cut. */
  breaksAfter?: number;
  /** What is done before it is cut. */
  beforeBreak?: () => Promise<unknown>;
};

const head = `--${EDGE}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nassistants\r\n--${EDGE}\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const tail = `\r\n--${EDGE}--\r\n`;

/** Sends a form over a socket of its own; answers status and body, null where the connection was cut by us. */
export async function upload(
  { url, key }: Caller,
  bytes: number,
  { hash, breaksAfter = Number.POSITIVE_INFINITY, beforeBreak = async () => undefined }: UploadOptions = {},
): Promise<{ status: number; body: { id: string; bytes: number } } | null> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  const length = head.length + bytes + tail.length;
  socket.write(
    `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n` +
      `content-type: multipart/form-data; boundary=${EDGE}\r\ncontent-length: ${length}\r\n\r\n${head}`,
  );
  const block = randomBytes(MB);
  for (let sent = 0; sent < bytes && answer === '' && !socket.destroyed; sent += block.length) {
    if (sent >= breaksAfter) {
      await beforeBreak();
      socket.destroy();
      return null;
    }
    block.writeUInt32LE(sent / MB, 0);
    const piece = Buffer.from(block.subarray(0, Math.min(block.length, bytes - sent)));
    hash?.update(piece);
    if (!socket.write(piece)) await drained(socket);
  }
  if (!socket.destroyed) socket.write(tail);
  if (!socket.closed) await once(socket, 'close');
  const json = /\{.*\}/s.exec(answer)?.[0] ?? 'null';
  return { status: Number(answer.slice(9, 12)), body: JSON.parse(json) };
}

/** Resolves when a socket takes more, or is gone. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      socket.off('drain', end);
      socket.off('close', end);
      resolve();
    };
    socket.on('drain', end);
    socket.on('close', end);
  });

/** Resident bytes of a process. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

export async function whileWatching<T>(
  pid: number,
  work: Promise<T>,
): Promise<{ result: T; growth: number }> {
  const before = residentOf(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentOf(pid));
  }, 20);
  try {
    return { result: await work, growth: most - before };
  } finally {
    clearInterval(timer);
  }
}

export const callerOf = async (directory: string, { url }: SluiceProcess): Promise<Caller> => ({
  url,
  key: JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')).workspace_api_key,
});

export const ask = async ({ url, key }: Caller, path: string, init: RequestInit = {}) =>
  fetch(`${url}/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
