import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { type BoxEnd, type BoxQuestion, Exchange, MOST_BODY_BYTES, type OpenBox } from './exchange.ts';
import { type BoxFrame, createFrameReader } from './programs/frames.ts';
import { type ProcessUse, useOf, useOfTree, watchProcess } from './watch.ts';

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
export class Box implements OpenBox {
  readonly pid: number;
  readonly ended: Promise<BoxEnd>;
  #child: ChildProcess;
  #memoryBytes: number;
  readonly #useOf: typeof useOf;
  #end: BoxEnd | null = null;
  readonly #exchange: Exchange;
  #idleSince: ProcessUse | null = null;

  constructor(launch: BoxLaunch) {
    const { command, memoryBytes } = launch;
    this.#child = spawnBox(command);
    this.#memoryBytes = memoryBytes;
    this.#useOf = command.hasChildren ? useOfTree : useOf;
    const { pid, stdin, stdout } = this.#child;
    this.ended = new Promise((resolve) => {
      const gone = () => {
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
    this.#exchange = new Exchange(this, stdin);
    const read = createFrameReader(MOST_BODY_BYTES, (frame) => this.#exchange.receive(frame));
    stdout?.on('data', (chunk: Buffer) => this.#orKill(() => read(chunk)));
    stdout?.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#end === null;
  }

  /** Waits until the program can be asked. Rejects with a BoxLost. */
  async ready(timeMs: number, signal?: AbortSignal): Promise<void> {
    await this.#exchange.wait({ timeMs, signal }, (frame) => frame.head.type === 'ready');
    this.#idleSince = this.#useOf(this.pid);
  }

  async ask(question: BoxQuestion): Promise<BoxFrame> {
    try {
      return await this.#exchange.ask(question);
    } finally {
      this.#idleSince = this.#useOf(this.pid);
    }
  }

  /** Ends the process and all that it could have begun, for good. */
  kill(end: BoxEnd): Promise<BoxEnd> {
    this.#end ??= end;
    killGroup(this.#child);
    return this.ended;
  }

  #look({ memoryBytes, processorSeconds, processes }: ProcessUse): void {
    if (memoryBytes > this.#memoryBytes) this.kill('memory');
    if (processes > MOST_PROCESSES) this.kill('processes');
    const used =
      !this.#exchange.isPending && this.#idleSince ? processorSeconds - this.#idleSince.processorSeconds : 0;
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
