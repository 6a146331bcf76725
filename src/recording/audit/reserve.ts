import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from '../../lib/unless-gone.ts';

/**
 * Room on a disk that is full: files that were filled with zeros while there was space, and are written over in their place.
 * Processes share them; whoever renames a file has it. `free`: to be had, `held`: a process writes to it, `used`: has records,
 * `read`: they are being brought in, `torn`: a human should look at them. The names are of one length, since a longer one might need room in the directory.
 */
export type Reserve = {
  /** Makes the files that are missing. */
  fill(): Promise<void>;
  /** Resolves when the document, as BSON, is synced to disk; false when there is no room for it. */
  put(document: Buffer): Promise<boolean>;
  /** Hands what was put to `write`, file by file, and removes what was written; rejects when `write` does. A damaged file stays. */
  replay(write: (documents: Buffer) => Promise<{ damaged: boolean }>): Promise<void>;
};

type State = 'free' | 'held' | 'used' | 'read' | 'torn';

const SLOTS = 16;
const SLOT_BYTES = 64 * 1024;
/** The length that begins a document; four zeros end the last one. */
const LENGTH_BYTES = 4;
/** Milliseconds after which a file that somebody had is what a killed process left. */
const ABANDONED_MS = 60_000;

const numbers = Array.from({ length: SLOTS }, (_, index) => String(index).padStart(2, '0'));

export function createReserve(directory: string): Reserve {
  /** The file that this process wrote to last, and the bytes in it. */
  let latest: { number: string; end: number } | null = null;
  let putting: Promise<boolean> = Promise.resolve(true);

  const path = (state: State, number: string): string => join(directory, `${state}-${number}`);

  /** False when somebody else was faster. */
  const move = async (number: string, from: State, to: State): Promise<boolean> =>
    (await unlessGone(rename(path(from, number), path(to, number)).then(() => true))) ?? false;

  const listed = async (): Promise<string[]> => (await unlessGone(readdir(directory))) ?? [];

  async function make(number: string): Promise<void> {
    const file = await open(path('held', number), 'wx', 0o600);
    try {
      await file.writeFile(Buffer.alloc(SLOT_BYTES));
    } catch (error) {
      await rm(path('held', number), { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await move(number, 'held', 'free');
  }

  /** A file with room for `length` bytes, which is ours from now on. */
  async function claim(length: number): Promise<{ number: string; end: number } | null> {
    const before = latest;
    latest = null;
    if (
      before &&
      before.end + length + LENGTH_BYTES <= SLOT_BYTES &&
      (await move(before.number, 'used', 'held'))
    )
      return before;
    if (length + LENGTH_BYTES > SLOT_BYTES) return null;
    for (const number of numbers) if (await move(number, 'free', 'held')) return { number, end: 0 };
    return null;
  }

  /** The length comes last: without it nothing was written, whenever the process is killed. */
  async function write(number: string, at: number, document: Buffer): Promise<void> {
    const file = await open(path('held', number), 'r+');
    try {
      await file.write(document, LENGTH_BYTES, document.length - LENGTH_BYTES, at + LENGTH_BYTES);
      await file.datasync();
      await file.write(document, 0, LENGTH_BYTES, at);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async function putNow(document: Buffer): Promise<boolean> {
    const slot = await claim(document.length);
    if (!slot) return false;
    const { number, end } = slot;
    await write(number, end, document);
    if (await move(number, 'held', 'used')) latest = { number, end: end + document.length };
    return true;
  }

  /** Has records that no living process is writing. */
  async function isReadable(name: string): Promise<boolean> {
    if (name.startsWith('used-')) return true;
    if (!name.startsWith('held-') && !name.startsWith('read-')) return false;
    const found = await unlessGone(stat(join(directory, name)));
    return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS;
  }

  return {
    async fill() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const present = new Set((await listed()).map((name) => name.slice(-2)));
      for (const number of numbers) {
        if (present.has(number)) continue;
        await make(number).catch((error: NodeJS.ErrnoException) => {
          // Another process fills it as well.
          if (error.code !== 'EEXIST') throw error;
        });
      }
    },
    put(document) {
      // One after the other, so that each goes where the one before left room.
      const next = putting.then(() => putNow(document));
      putting = next.catch(() => false);
      return next;
    },
    async replay(write) {
      for (const name of (await listed()).sort()) {
        if (!(await isReadable(name))) continue;
        const number = name.slice(-2);
        const own = path('read', number);
        if (!(await move(number, name.slice(0, 4) as State, 'read'))) continue;
        try {
          const documents = await unlessGone(readFile(own));
          const isTorn = documents !== null && (await write(documents)).damaged;
          if (isTorn) await move(number, 'read', 'torn');
          else await rm(own, { force: true });
        } catch (error) {
          await move(number, 'read', 'used');
          throw error;
        }
      }
    },
  };
}
