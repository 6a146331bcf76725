import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Running } from './processes.ts';

/** What a Sluice holds, by its own metrics; sockets by the kernel's. */
export type Held = { rss: number; heap: number; sockets: number; handles: number };

const MEGABYTE = 1024 * 1024;

export const metricOf = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} ([\\d.e+]+)`, 'm').exec(metrics)?.[1]);

export const metricsOf = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

export async function heldBy({ port, pid }: Running): Promise<Held> {
  const metrics = await metricsOf(port);
  return {
    rss: metricOf(metrics, 'sluice_process_resident_memory_bytes') / MEGABYTE,
    heap: metricOf(metrics, 'sluice_nodejs_heap_size_used_bytes') / MEGABYTE,
    sockets: await socketsOf(pid),
    handles: metricOf(metrics, 'sluice_nodejs_active_handles_total'),
  };
}

async function socketsOf(pid: number): Promise<number> {
  const files = await readdir(`/proc/${pid}/fd`);
  // A file may be closed between the two looks.
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** The most that a process held of each until `until` is done. */
export async function heldAtMost(running: Running, until: Promise<unknown>): Promise<Held> {
  const done = until.then(() => true);
  const most = await heldBy(running);
  while (!(await Promise.race([done, sleep(250, false)]))) {
    const held = await heldBy(running);
    for (const key of Object.keys(most) as (keyof Held)[]) most[key] = Math.max(most[key], held[key]);
  }
  return most;
}

/** Has a process that listens for a debugger throw away what nobody needs, so that what is left can be compared. */
export async function collectGarbage(debuggerPort: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${debuggerPort}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.close();
  await once(socket, 'close');
}
