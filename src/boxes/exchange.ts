import type { Writable } from 'node:stream';
import { type BoxFrame, type FrameHead, frameStart } from './programs/frames.ts';

/**
 * Why a box ended: it held too much memory, its time was over, it used the processor while nothing was asked of it, it began too
 * many processes, it ended by itself or sent what is no frame, or its owner stopped it.
 */
export type BoxEnd = 'memory' | 'time' | 'processor' | 'processes' | 'crash' | 'stopped';

/** The box ended before it answered. */
export class BoxLost extends Error {
  readonly end: BoxEnd;

  constructor(end: BoxEnd) {
    super(`The box ended: ${end}.`);
    this.end = end;
  }
}

/** The program of a box has a fault: neither its question nor a bound is the reason. */
export class BoxFault extends Error {}

export type BoxQuestion = {
  head: FrameHead;
  /** The bytes that go with it, and how many they are. */
  body?: { bytes: number; read(): AsyncIterable<Uint8Array> };
  /** Milliseconds after which the box is ended unless it has answered. */
  timeMs: number;
  /** Ends the box as well. */
  signal?: AbortSignal;
  /** Takes the frames before the answer. */
  onPart?(frame: BoxFrame): void;
};

/** A program that answers questions, wherever it runs. */
export type OpenBox = {
  /** Its process; 0 for one of another machine. */
  readonly pid: number;
  readonly isOpen: boolean;
  /** Resolves when it is gone. */
  readonly ended: Promise<BoxEnd>;
  /**
   * Asks the program something, one question at a time.
   *
   * @returns the frame of the type `answer`. Rejects with a BoxLost, a BoxFault, or the reason of the signal.
   */
  ask(question: BoxQuestion): Promise<BoxFrame>;
  /** Ends it for good. */
  kill(end: BoxEnd): Promise<BoxEnd>;
};

/** Bytes of the largest body that a box may send. */
export const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** One question after another to a program: its frames go into `input`, and those that come back are given to `receive`. */
export class Exchange {
  readonly #box: Pick<OpenBox, 'ended' | 'kill'>;
  readonly #input: Writable | null;
  #pending: { onFrame(frame: BoxFrame): void } | null = null;

  constructor(box: Pick<OpenBox, 'ended' | 'kill'>, input: Writable | null) {
    this.#box = box;
    this.#input = input;
    // The pipe breaks when the box ends, which `ended` tells.
    input?.on('error', () => {});
  }

  /** Whether a question waits for its answer. */
  get isPending(): boolean {
    return this.#pending !== null;
  }

  receive(frame: BoxFrame): void {
    // What a program says unasked, such as the output of a task that outlives its cell, is for nobody.
    this.#pending?.onFrame(frame);
  }

  async ask(question: BoxQuestion): Promise<BoxFrame> {
    const answer = this.wait(question, (frame) => frame.head.type === 'answer');
    let unread: unknown = null;
    this.#send(question).catch((error) => {
      unread = error;
      return this.#box.kill('stopped');
    });
    try {
      const frame = await answer;
      if (frame.head.fault !== undefined) throw new BoxFault(String(frame.head.fault));
      return frame;
    } catch (error) {
      // What could not be read for the box says more than that the box was ended for it.
      throw unread ?? error;
    }
  }

  /** Waits for a frame. Rejects with a BoxLost, or the reason of the signal. */
  async wait(
    { timeMs, signal, onPart }: Pick<BoxQuestion, 'timeMs' | 'signal' | 'onPart'>,
    isAnswer: (frame: BoxFrame) => boolean,
  ): Promise<BoxFrame> {
    if (this.#pending) throw new Error('A box answers one question at a time.');
    signal?.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<BoxFrame>();
    this.#pending = { onFrame: (frame) => (isAnswer(frame) ? resolve(frame) : onPart?.(frame)) };
    const timer = setTimeout(() => this.#box.kill('time'), timeMs);
    const stop = () => this.#box.kill('stopped');
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const lost = this.#box.ended.then((end) => {
        signal?.throwIfAborted();
        throw new BoxLost(end);
      });
      return await Promise.race([promise, lost]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#pending = null;
    }
  }

  async #send({ head, body }: BoxQuestion): Promise<void> {
    await this.write(frameStart(head, body?.bytes ?? 0));
    let left = body?.bytes ?? 0;
    for await (const chunk of body?.read() ?? []) {
      left -= chunk.length;
      if (left < 0 || !this.#isWritable) break;
      await this.write(chunk);
    }
    if (left !== 0 && this.#isWritable) throw new Error('A content has not as many bytes as it said.');
  }

  get #isWritable(): boolean {
    return this.#input?.writable === true;
  }

  /** Resolves when more may be written. */
  async write(bytes: Uint8Array): Promise<void> {
    const input = this.#input;
    if (!input?.writable || input.write(bytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    input.once('drain', resolve);
    await Promise.race([promise, this.#box.ended]);
    input.off('drain', resolve);
  }
}
