import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contents } from './contents.ts';

/** Free bytes that a content leaves: the store on the same disk needs them. */
const LEFT_FREE = 16 * 1024 * 1024;
/** Bytes between two looks at the room on the disk. */
const LOOK_BYTES = 4 * 1024 * 1024;

/** Files in a directory, which get their names once they are complete and synced. */
export function contentsOnDisk(directory: string): Contents {
  const pathOf = (name: string) => join(directory, name);
  const partOf = (name: string) => `${pathOf(name)}.part`;
  return {
    async write(name, content, signal) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        await writeSynced(partOf(name), withRoom(directory, content), signal);
        await rename(partOf(name), pathOf(name));
      } catch (error) {
        await rm(partOf(name), { force: true });
        throw error;
      }
    },
    async remove(name) {
      await rm(partOf(name), { force: true });
      await rm(pathOf(name), { force: true });
    },
    link: async () => null,
    async open(name) {
      const found = await stat(pathOf(name)).catch(ignoreMissing);
      return found && { bytes: found.size, read: (range) => createReadStream(pathOf(name), { ...range }) };
    },
  };
}

async function writeSynced(path: string, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const chunk of content) {
      signal.throwIfAborted();
      await file.writeFile(chunk);
    }
    signal.throwIfAborted();
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A content as long as the disk has room for what the store needs beside it. */
async function* withRoom(directory: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unseen = LOOK_BYTES;
  for await (const chunk of content) {
    unseen += chunk.length;
    if (unseen >= LOOK_BYTES) {
      await requireRoom(directory, unseen);
      unseen = 0;
    }
    yield chunk;
  }
}

async function requireRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize - bytes >= LEFT_FREE) return;
  throw Object.assign(new Error('The disk has no room for a content.'), { code: 'ENOSPC' });
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
