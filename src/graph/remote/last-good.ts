import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_SDL_BYTES } from './fetch-sdl.ts';

export type LastGood = {
  /** The SDL that worked last, also before a restart; null when none is known. */
  read(name: string): Promise<string | null>;
  write(name: string, sdl: string): Promise<void>;
};

/** Keeps the SDL of remote subgraphs on disk, so that a start knows their fields while they are down. */
export function createLastGood(directory: string): LastGood {
  const pathOf = (name: string) => join(directory, `${name}.graphql`);
  return {
    async read(name) {
      try {
        const sdl = await readFile(pathOf(name), 'utf8');
        return sdl.length <= MAX_SDL_BYTES ? sdl : null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async write(name, sdl) {
      await mkdir(directory, { recursive: true });
      const path = pathOf(name);
      await writeFile(`${path}.new`, sdl);
      await rename(`${path}.new`, path);
    },
  };
}
