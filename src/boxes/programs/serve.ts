import type { BoxFrame, FrameHead } from './frames.ts';
import { host } from './host.ts';

/** Sends a frame to the process that owns the box. The body is given away: its memory belongs to this frame alone. */
export function send(head: FrameHead, body: Uint8Array = new Uint8Array()): void {
  host.postMessage({ head, body }, [body.buffer]);
}

/**
 * Answers the questions of the process that owns the box, one after the other, and says that the program is ready for the
 * first one. What `answer` throws is a fault of the program, and is told in place of an answer.
 */
export function serve(answer: (question: BoxFrame) => Promise<void>): void {
  // Libraries write warnings to the console, and standard output belongs to the frames.
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) globalThis.console[name] = () => {};
  let last = Promise.resolve();
  host.onmessage = ({ data }) => {
    last = last
      .then(() => answer(data as BoxFrame))
      .catch((error) => send({ type: 'answer', fault: String(error).slice(0, 1000) }));
  };
  send({ type: 'ready' });
}
