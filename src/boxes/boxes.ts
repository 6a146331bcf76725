import { join } from 'node:path';
import { Box } from './box.ts';
import { bundlePrograms } from './bundle.ts';
import { denoCommand } from './deno.ts';
import { findBoxRuntime } from './runtime.ts';

export type BoxKind = {
  program: 'extract' | 'python';
  /** What the program may read beside its own folder. */
  readable: string[];
  /** Bytes of memory that the box may hold. */
  memoryBytes: number;
};

/** Child processes without permissions, in which bytes of others are read and code of others runs. */
export type Boxes = {
  /** Why there are none on this platform; null where there are. */
  unavailable: string | null;
  /** A box whose program is ready; whoever opens it ends it. Rejects with a BoxLost where it does not get ready. */
  open(kind: BoxKind, signal?: AbortSignal): Promise<Box>;
  /** Ends all boxes; none opens afterwards. */
  stop(): Promise<void>;
};

/** Milliseconds within which a program is ready; a busy machine takes long. */
const START_MS = 30_000;

/** Boxes keep what they need on disk in `directory`, which nobody but them writes to. */
export function createBoxes(directory: string): Boxes {
  const runtime = findBoxRuntime();
  const open = new Set<Box>();
  let programs: Promise<string> | null = null;
  let isStopped = false;

  /** One attempt at a time; after a failure, such as a full disk, the next one tries again. */
  function bundled(): Promise<string> {
    programs ??= bundlePrograms(directory).catch((error) => {
      programs = null;
      throw error;
    });
    return programs;
  }

  return {
    unavailable: 'unavailable' in runtime ? runtime.unavailable : null,
    async open(kind, signal) {
      if ('unavailable' in runtime) throw new Error(runtime.unavailable);
      const folder = await bundled();
      signal?.throwIfAborted();
      if (isStopped) throw new Error('Boxes are stopped.');
      const { program, readable, memoryBytes } = kind;
      const cache = join(directory, 'cache');
      const command = denoCommand({ deno: runtime.deno, programs: folder, cache, program, readable });
      const box = new Box({ command, memoryBytes });
      open.add(box);
      box.ended.then(() => open.delete(box));
      await box.ready(START_MS, signal);
      return box;
    },
    async stop() {
      isStopped = true;
      await Promise.all([...open].map((box) => box.kill('stopped')));
    },
  };
}
