import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb, type Server } from './server.ts';

export type Flood = { name: string; connections: number; bytes: number; head: string };

export type FloodResult = {
  /** Megabytes. */
  before: number;
  peak: number;
  /** How often each status was answered; connections without an answer still send, or hold, their body. */
  answers: Record<string, number>;
  /** Whether a small request of somebody else was answered meanwhile. */
  othersServed: boolean;
};

const HOLD_MS = 6000;

/** Sends many bodies but for their last byte, all at once, and keeps the connections open for a while. */
export async function flood(
  server: Server,
  { connections, bytes, head }: Flood,
  servesOthers: () => Promise<boolean>,
): Promise<FloodResult> {
  const before = await residentMb(server.pid);
  const body = Buffer.alloc(bytes - 1, ' ');
  const answers: Record<string, number> = {};
  const sockets = Array.from({ length: connections }, () => open(server.port, answers));
  for (const socket of sockets) {
    socket.write(`${head}content-length: ${bytes}\r\n\r\n`);
    socket.write(body);
  }
  let peak = before;
  let othersServed = true;
  const endsAt = performance.now() + HOLD_MS;
  while (performance.now() < endsAt) {
    peak = Math.max(peak, await residentMb(server.pid));
    othersServed &&= await servesOthers();
    await sleep(50);
  }
  for (const socket of sockets) socket.destroy();
  return { before, peak, answers, othersServed };
}

function open(port: number, answers: Record<string, number>): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.once('data', (chunk) => {
    const status = chunk.toString('latin1').slice(9, 12);
    answers[status] = (answers[status] ?? 0) + 1;
  });
  // A connection that the server has ended.
  socket.on('error', () => undefined);
  return socket;
}
