import { parentPort } from 'node:worker_threads';

// biome-ignore lint/suspicious/noExplicitAny: each call has its own parameters
export type ThreadCalls = { [name: string]: (...parameters: any[]) => unknown };
export type ThreadCall = { id: number; name: string; parameters: unknown[] };
export type ThreadReply = { id: number; value: unknown } | { id: number; message: string; kind: string };

/** Answers the calls of the main thread one after the other, for the life of this thread. */
export function serve<C extends ThreadCalls>(calls: C): void {
  parentPort?.on('message', ({ id, name, parameters }: ThreadCall) => {
    parentPort?.postMessage(replyTo(calls, { id, name, parameters }));
  });
}

function replyTo(calls: ThreadCalls, { id, name, parameters }: ThreadCall): ThreadReply {
  try {
    const call = calls[name];
    if (!call) throw new Error(`The thread knows no call ${name}.`);
    return { id, value: call(...parameters) };
  } catch (error) {
    const failure = error as Error;
    return { id, message: failure.message, kind: failure.constructor.name };
  }
}
