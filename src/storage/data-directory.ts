import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';

/** Makes the data directory, or says in one sentence why it cannot be used. */
export async function prepareDataDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const entry = await stat(path).catch(() => null);
    if (entry && !entry.isDirectory()) throw new Error(`The data directory ${path} is a file.`, { cause });
    throw new Error(`The data directory ${path} cannot be made (${codeOf(cause)}).`, { cause });
  }
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `The data directory ${path} cannot be read and written by this user (${codeOf(cause)}).`,
      {
        cause,
      },
    );
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
