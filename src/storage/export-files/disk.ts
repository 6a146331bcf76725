import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportFiles } from './export-files.ts';

/** Files in a directory, which get their names once they are complete and synced. */
export function exportFilesOnDisk(directory: string): ExportFiles {
  const pathOf = (name: string) => join(directory, name);
  const partOf = (name: string) => `${pathOf(name)}.part`;
  return {
    async write(name, content, signal) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        await writeSynced(partOf(name), content, signal);
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
      return found && { bytes: found.size, read: () => createReadStream(pathOf(name)) };
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
    await file.sync();
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
