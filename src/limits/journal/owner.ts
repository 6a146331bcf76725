import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** A process that keeps a journal, told apart from every other one of the same machine until that starts again. */
export type JournalOwner = {
  /** Stands for the start of the machine and the space in which process numbers mean the same. */
  here: string;
  pid: number;
  /** In the kernel's ticks since the machine started: a number that was given again has another one. */
  startedAt: string;
};

/** This process; null where the system does not tell: only Linux does. */
export function thisProcess(): JournalOwner | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const here = hash('sha256', `${boot} ${readlinkSync('/proc/self/ns/pid')}`).slice(0, 16);
    return { here, pid: process.pid, startedAt: statusOf(process.pid).startedAt };
  } catch {
    return null;
  }
}

/**
 * Whether a process is known to have ended. One of another machine, of a former start of this one or of another container may
 * live: nobody here can know.
 */
export function isDead({ here, pid, startedAt }: JournalOwner, self: JournalOwner): boolean {
  if (here !== self.here) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Of another user's process it is known only that it runs.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  try {
    const status = statusOf(pid);
    return status.hasEnded || status.startedAt !== startedAt;
  } catch {
    // It ended since, or is not to be seen: the next look tells.
    return false;
  }
}

/** `hasEnded`: only its parent has not asked for its exit code yet. */
function statusOf(pid: number): { hasEnded: boolean; startedAt: string } {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name before it, in brackets, may hold anything.
  const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startedAt = fields[18];
  if (startedAt === undefined) throw new Error(`The status of process ${pid} cannot be read.`);
  return { hasEnded: state === 'Z' || state === 'X', startedAt };
}
