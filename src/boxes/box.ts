import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { type BoxFrame, createFrameReader, type FrameHead, frameStart } from './programs/frames.ts';
import { type ProcessUse, useOf, useOfTree, watchProcess } from './watch.ts';

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

/** What is run as a box. */
export type BoxCommand = {
  file: string;
  args: string[];
  cwd: string;
  /** All of its environment. */
  env: Record<string, string>;
  /** The user and group that it runs as; absent for those of the gateway. */
  uid?: number;
  gid?: number;
  /** Whether it may begin processes, which then count with it. */
  hasChildren: boolean;
};

export type BoxLaunch = {
  command: BoxCommand;
  /** Bytes of memory that the box may hold. */
  memoryBytes: number;
};

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

/** Bytes of the largest body that a box may send. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;
/** Seconds of processor time that a box may use while nothing is asked of it. */
const MOST_IDLE_SECONDS = 2;
/** Processes of a box that may begin some. */
const MOST_PROCESSES = 64;

const running = new Set<ChildProcess>();
let isExitHeard = false;

/**
 * A process without permissions, in which code and bytes of others are. It is given no environment, no arguments of a caller and
 * no open file but its standard input and output, and ends with the process that began it.
 */
export class Box {
  readonly pid: number;
  /** Resolves when the process is gone. */
  readonly ended: Promise<BoxEnd>;
  #child: ChildProcess;
  #memoryBytes: number;
  readonly #useOf: typeof useOf;
  #end: BoxEnd | null = null;
  #isGone = false;
  #pending: { onFrame(frame: BoxFrame): void } | null = null;
  #idleSince: ProcessUse | null = null;

  constructor(launch: BoxLaunch) {
    const { command, memoryBytes } = launch;
    this.#child = spawnBox(command);
    this.#memoryBytes = memoryBytes;
    this.#useOf = command.hasChildren ? useOfTree : useOf;
    const { pid, stdin, stdout } = this.#child;
    this.ended = new Promise((resolve) => {
      const gone = () => {
        this.#isGone = true;
        this.#end ??= 'crash';
        running.delete(this.#child);
        unwatch();
        resolve(this.#end);
      };
      this.#child.once('error', gone);
      this.#child.once('close', gone);
    });
    this.pid = pid ?? 0;
    const unwatch =
      pid === undefined
        ? () => {}
        : watchProcess(
            () => this.#useOf(pid),
            (use) => this.#look(use),
          );
    const read = createFrameReader(MOST_BODY_BYTES, (frame) => this.#receive(frame));
    stdout?.on('data', (chunk: Buffer) => this.#orKill(() => read(chunk)));
    // The pipe breaks when the box ends, which `ended` tells.
    stdin?.on('error', () => {});
    stdout?.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#end === null;
  }

  /** Waits until the program can be asked. Rejects with a BoxLost. */
  async ready(timeMs: number, signal?: AbortSignal): Promise<void> {
    await this.#wait({ head: { type: '' }, timeMs, signal }, (frame) => frame.head.type === 'ready');
  }

  /**
   * Asks the program something, one question at a time.
   *
   * @returns the frame of the type `answer`. Rejects with a BoxLost, a BoxFault, or the reason of the signal.
   */
  async ask(question: BoxQuestion): Promise<BoxFrame> {
    const answer = this.#wait(question, (frame) => frame.head.type === 'answer');
    let unread: unknown = null;
    this.#send(question).catch((error) => {
      unread = error;
      return this.kill('stopped');
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

  /** Ends the process and all that it could have begun, for good. */
  kill(end: BoxEnd): Promise<BoxEnd> {
    this.#end ??= end;
    killGroup(this.#child);
    return this.ended;
  }

  async #wait(
    { timeMs, signal, onPart }: BoxQuestion,
    isAnswer: (frame: BoxFrame) => boolean,
  ): Promise<BoxFrame> {
    if (this.#pending) throw new Error('A box answers one question at a time.');
    signal?.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<BoxFrame>();
    this.#pending = { onFrame: (frame) => (isAnswer(frame) ? resolve(frame) : onPart?.(frame)) };
    const timer = setTimeout(() => this.kill('time'), timeMs);
    const stop = () => this.kill('stopped');
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const lost = this.ended.then((end) => {
        signal?.throwIfAborted();
        throw new BoxLost(end);
      });
      return await Promise.race([promise, lost]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#pending = null;
      this.#idleSince = this.#useOf(this.pid);
    }
  }

  async #send({ head, body }: BoxQuestion): Promise<void> {
    await this.#write(frameStart(head, body?.bytes ?? 0));
    let left = body?.bytes ?? 0;
    for await (const chunk of body?.read() ?? []) {
      left -= chunk.length;
      if (left < 0 || this.#isGone) break;
      await this.#write(chunk);
    }
    if (left !== 0 && !this.#isGone) throw new Error('A content has not as many bytes as it said.');
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (this.#isGone || !stdin || stdin.write(bytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    stdin.once('drain', resolve);
    await Promise.race([promise, this.ended]);
    stdin.off('drain', resolve);
  }

  #receive(frame: BoxFrame): void {
    // What a program says unasked, such as the output of a task that outlives its cell, is for nobody.
    this.#pending?.onFrame(frame);
  }

  #look({ memoryBytes, processorSeconds, processes }: ProcessUse): void {
    if (memoryBytes > this.#memoryBytes) this.kill('memory');
    if (processes > MOST_PROCESSES) this.kill('processes');
    const used =
      this.#pending === null && this.#idleSince ? processorSeconds - this.#idleSince.processorSeconds : 0;
    if (used > MOST_IDLE_SECONDS) this.kill('processor');
  }

  #orKill(action: () => void): void {
    try {
      if (this.isOpen) action();
    } catch {
      this.kill('crash');
    }
  }
}

function spawnBox({ file, args, cwd, env, uid, gid }: BoxCommand): ChildProcess {
  const child = spawn(file, args, {
    ...{ cwd, env, uid, gid, stdio: ['pipe', 'pipe', 'ignore'] },
    // A group of its own, so that a signal for this process and its terminal is none for the box.
    detached: true,
  });
  if (!isExitHeard) process.once('exit', killAll);
  isExitHeard = true;
  running.add(child);
  if (child.pid !== undefined) yieldToOthers(child.pid);
  return child;
}

/** Lets the gateway go before the box where both want the processor, and the kernel end the box first where memory is short. */
function yieldToOthers(pid: number): void {
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {
    // The box is gone, or the kernel lets nobody say this: the watch over its memory is there in any case.
  });
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The box is gone already.
  }
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function killAll(): void {
  for (const child of running) killGroup(child);
}
