import type { Interpreter, Interpreters } from '../../../boxes/index.ts';
import { createTurns } from '../../../boxes/index.ts';
import { grownCache } from '../../../lib/grown-cache.ts';

/** The interpreter of a thread. */
export type Container = {
  interpreter: Interpreter;
  /** The files of callers that lie in its data folder: their names there by their ids. */
  inputs: Map<string, string>;
};

type Kept = Container & {
  threadId: string;
  startedAt: number;
  usedAt: number;
  isBusy: boolean;
  leave(): void;
};

export type ContainersDeps = { interpreters: Interpreters; places: number; now(): Date };

/** Whose container it is. */
export type ContainerUser = { threadId: string; workspaceId: string };

const IDLE_MS = 20 * 60_000;
const MOST_AGE_MS = 60 * 60_000;
const LOOK_MS = 30_000;
/** Threads of which is remembered that they have had a container. */
const MOST_REMEMBERED = 10_000;

export type Containers = ReturnType<typeof createContainers>;

/**
 * One container for each thread, which keeps variables and files from cell to cell: for an hour at most, and for twenty minutes
 * without a cell. Where all places are taken, the container that has been idle for longest makes room.
 */
export function createContainers({ interpreters, places, now }: ContainersDeps) {
  const turns = createTurns(places);
  const byThread = new Map<string, Kept>();
  const remembered = grownCache<true>(MOST_REMEMBERED);
  const time = () => now().getTime();
  let timer: NodeJS.Timeout | null = null;

  async function close(container: Kept): Promise<void> {
    if (byThread.get(container.threadId) === container) byThread.delete(container.threadId);
    if (byThread.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
    await container.interpreter.close();
    container.leave();
  }

  const isOver = ({ interpreter, startedAt, usedAt }: Kept) =>
    !interpreter.isOpen || time() - startedAt > MOST_AGE_MS || time() - usedAt > IDLE_MS;

  async function closeOver(): Promise<void> {
    const over = [...byThread.values()].filter((container) => !container.isBusy && isOver(container));
    await Promise.all(over.map(close));
  }

  async function makeRoom(): Promise<void> {
    const idle = [...byThread.values()].filter(({ isBusy }) => !isBusy);
    const [idlest] = idle.sort((one, other) => one.usedAt - other.usedAt);
    if (idlest) await close(idlest);
  }

  async function open({ threadId, workspaceId }: ContainerUser, signal: AbortSignal): Promise<Kept> {
    if (turns.free() === 0) await makeRoom();
    const leave = await turns.enter(workspaceId, signal);
    try {
      const interpreter = await interpreters.take(signal);
      const at = time();
      const times = { startedAt: at, usedAt: at };
      const container = {
        threadId,
        interpreter,
        inputs: new Map<string, string>(),
        ...times,
        isBusy: true,
        leave,
      };
      byThread.set(threadId, container);
      timer ??= setInterval(closeOver, LOOK_MS).unref();
      return container;
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    /**
     * Does `work` with the container of a thread. `isAnew`: an earlier one of the thread is gone, with all that it held.
     */
    async use<T>(
      user: ContainerUser,
      signal: AbortSignal,
      work: (container: Container, isAnew: boolean) => Promise<T>,
    ): Promise<T> {
      const { threadId } = user;
      const found = byThread.get(threadId);
      if (found && isOver(found)) await close(found);
      const known = byThread.get(threadId);
      if (known) known.isBusy = true;
      const container = known ?? (await open(user, signal));
      const isAnew = !known && remembered.has(threadId);
      remembered.set(threadId, true);
      try {
        return await work(container, isAnew);
      } finally {
        container.isBusy = false;
        container.usedAt = time();
        if (!container.interpreter.isOpen) await close(container);
        else if (turns.waiting() > 0) await makeRoom();
      }
    },
    async stop(): Promise<void> {
      await Promise.all([...byThread.values()].map(close));
    },
  };
}
