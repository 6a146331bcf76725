import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import type { StartLogWorker } from '../../../src/recording/log/thread/worker-port.ts';

let thread: Worker | undefined;

/** The request log of an app in the one thread that the logs of a worker of Jest share: to load the code took as long as the app. */
export const startHostedLog: StartLogWorker = (data) => {
  const { port1, port2 } = new MessageChannel();
  thread ??= startThread();
  thread.postMessage({ port: port2, data }, [port2]);
  return new HostedLog(port1);
};

function startThread(): Worker {
  const started = new Worker(new URL('./log-host-thread.ts', import.meta.url), { name: 'request-logs' });
  started.unref();
  started.on('exit', () => {
    thread = undefined;
  });
  return started;
}

/** One log of the thread, which ends alone. */
class HostedLog extends EventEmitter {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (message) => this.emit('message', message));
    port.on('close', () => this.emit('exit', 0));
  }

  postMessage(message: unknown, moved: readonly Transferable[] = []): void {
    this.#port.postMessage(message, moved);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }
}
