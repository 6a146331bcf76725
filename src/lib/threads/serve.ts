import { parentPort } from 'node:worker_threads';

// biome-ignore lint/suspicious/noExplicitAny: each call has its own parameters
export type ThreadCalls = { [name: string]: (...parameters: any[]) => unknown };
export type ThreadCall = { id: number; name: string; parameters: unknown[] };
export type ThreadReply = { id: number; value: unknown } | { id: number; message: string; kind: string };

/** Answers the calls of the main thread, for the life of this thread; in their order where no call waits for anything. */
export function serve<C extends ThreadCalls>(calls: C): void {
  const reply = (answer: ThreadReply) => parentPort?.postMessage(answer);
  parentPort?.on('message', ({ id, name, parameters }: ThreadCall) => {
    const failed = (thrown: unknown) => {
      const error = thrown as Error;
      reply({ id, message: error.message, kind: error.constructor.name });
    };
    try {
      const call = calls[name];
      if (!call) throw new Error(`The thread knows no call ${name}.`);
      const value = call(...parameters);
      if (value instanceof Promise) value.then((given) => reply({ id, value: given }), failed);
      else reply({ id, value });
    } catch (error) {
      failed(error);
    }
  });
}
