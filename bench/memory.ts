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

/** Has a process that listens for a debugger throw away in each of its threads what nobody needs, so that what is left can be compared. */
export async function collectGarbage(debuggerPort: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${debuggerPort}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  const devtools = new Devtools(socket);
  await devtools.ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await devtools.ask(COLLECT);
  await Promise.all([...devtools.threads].map((thread) => devtools.askThread(thread, COLLECT)));
  socket.close();
  await once(socket, 'close');
}

const COLLECT = 'HeapProfiler.collectGarbage';

type Told = { id?: number; method?: string; params?: { sessionId: string; message?: string } };

/** Asks a process by the protocol of debuggers. Threads say that they are there before NodeWorker.enable is answered. */
class Devtools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, () => void>();
  #asked = 0;
  /** By the session of a thread: what it was asked last. */
  readonly #lastOf = new Map<string, number>();
  /** Sessions of the threads that there are. */
  readonly threads = new Set<string>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (text) => this.#hear(JSON.parse(String(text)) as Told));
  }

  ask(method: string, params: object = {}): Promise<void> {
    return this.#answered((id) => this.#send({ id, method, params }));
  }

  /** Resolves as well when the thread ends. */
  askThread(sessionId: string, method: string): Promise<void> {
    return this.#answered((id) => {
      this.#lastOf.set(sessionId, id);
      const params = { sessionId, message: JSON.stringify({ id, method }) };
      this.#send({ id: ++this.#asked, method: 'NodeWorker.sendMessageToWorker', params });
    });
  }

  #answered(send: (id: number) => void): Promise<void> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      send(id);
    });
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #hear({ id, method, params }: Told): void {
    if (id !== undefined) this.#waiting.get(id)?.();
    if (!params) return;
    const { sessionId, message } = params;
    if (method === 'NodeWorker.attachedToWorker') this.threads.add(sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker' && message) this.#hear(JSON.parse(message) as Told);
    if (method === 'NodeWorker.detachedFromWorker') this.#waiting.get(this.#lastOf.get(sessionId) ?? 0)?.();
  }
}
