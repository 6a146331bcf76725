import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exists } from './exists.ts';

const run = promisify(execFile);
const here = import.meta.dirname;
const sources = join(here, 'programs');
const lock = join(here, '../../package-lock.json');

/**
 * The folder with the programs of boxes, each in one piece with its libraries, so that a box need read nothing else. It is
 * made once for each version of the programs and of the installed packages.
 */
export async function bundlePrograms(directory: string): Promise<string> {
  const folder = join(directory, `programs-${await version()}`);
  if (await exists(folder)) return folder;
  const unfinished = join(directory, `unfinished-${randomUUID()}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    // A process of its own: the bundler's memory goes with it.
    await run(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      join(here, 'bundler.ts'),
      unfinished,
    ]);
    await rename(unfinished, folder);
  } catch (error) {
    // Another process of this gateway was first.
    if (!(await exists(folder))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

async function version(): Promise<string> {
  const hash = createHash('sha256');
  const names = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of [lock, join(here, 'bundler.ts'), ...files.sort()])
    hash.update(await readFile(file)).update('\0');
  return hash.digest('hex').slice(0, 16);
}
