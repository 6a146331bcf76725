import { readdirSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** Milliseconds between two looks at what the processes use. */
const LOOK_MS = 25;
const PAGE_BYTES = pageBytes();
/** Ticks in a second of the times in `/proc`; the same on every Linux that Node.js runs on. */
const TICKS = 100;

/**
 * What a process uses: bytes of memory that it holds, and seconds of processor time since its start. `processes`: how many that
 * is together.
 */
export type ProcessUse = { memoryBytes: number; processorSeconds: number; processes: number };

/** Null for a process that does not exist any more. */
export function useOf(pid: number): ProcessUse | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The second field is the program's name in parentheses, which may have any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (field: number) => Number(fields[field - 3]);
  return {
    memoryBytes: number(24) * PAGE_BYTES,
    processorSeconds: (number(14) + number(15)) / TICKS,
    processes: 1,
  };
}

/** What a process and all that it has begun use together. */
export function useOfTree(pid: number): ProcessUse | null {
  const use = useOf(pid);
  if (!use) return null;
  for (const child of childrenOf(pid)) {
    const more = useOfTree(child);
    use.memoryBytes += more?.memoryBytes ?? 0;
    use.processorSeconds += more?.processorSeconds ?? 0;
    use.processes += more?.processes ?? 0;
  }
  return use;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    // It is gone: what it had begun has another parent, whose children are looked at.
    return [];
  }
}

const watched = new Map<() => ProcessUse | null, (use: ProcessUse) => void>();
let timer: NodeJS.Timeout | null = null;

/**
 * Looks at a process 40 times a second for as long as it is watched.
 *
 * @returns what ends the watch.
 */
export function watchProcess(look: () => ProcessUse | null, onLook: (use: ProcessUse) => void): () => void {
  watched.set(look, onLook);
  timer ??= setInterval(lookAtAll, LOOK_MS).unref();
  return () => {
    watched.delete(look);
    if (watched.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function lookAtAll(): void {
  for (const [look, onLook] of [...watched]) {
    const use = look();
    if (use) onLook(use);
  }
}

/** Bytes of a page of memory, as the kernel tells every process in its auxiliary vector; 4096 where it does not. */
function pageBytes(): number {
  const PAGE_SIZE_ENTRY = 6n;
  try {
    const vector = readFileSync('/proc/self/auxv');
    for (let at = 0; at + 16 <= vector.length; at += 16) {
      const [key, value] = [at, at + 8].map((place) =>
        endianness() === 'LE' ? vector.readBigUInt64LE(place) : vector.readBigUInt64BE(place),
      );
      if (key === PAGE_SIZE_ENTRY) return Number(value);
    }
  } catch {
    // A kernel that hides the vector has pages of the common size.
  }
  return 4096;
}
