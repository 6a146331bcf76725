import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { backup as copy, DatabaseSync } from 'node:sqlite';
import { badValue } from '../../errors.ts';

/** All pages are copied in one step: a copy in several steps starts again whenever something is written in between. */
const allPages = 2 ** 31 - 1;

/**
 * Copies the store into a new file while it is in use, as it was at one moment. The copy is made beside the threads
 * that serve clients, synced, and only then given its name; used as `data.sqlite` of another directory it is a store.
 */
export async function backup(path: string, file: string): Promise<{ bytes: number }> {
  if (!isAbsolute(file)) throw badValue('a backup needs the absolute path of a file');
  if (existsSync(file)) throw badValue(`the file ${file} exists already`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    await copy(source, partial, { rate: allPages });
    renameSync(partial, file);
    syncDirectory(dirname(file));
  } catch (error) {
    rmSync(partial, { force: true });
    throw badValue(`the backup failed: ${(error as Error).message}`);
  } finally {
    source.close();
  }
  return { bytes: statSync(file).size };
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
